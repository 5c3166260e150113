"""Countries by their ISO 3166 codes, grouped into the regions and continents of the United Nations (M49)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from sfumato.hierarchies.codes import Path, Structured

#: Every region with the two-letter and three-letter codes of its countries.
_REGIONS: Mapping[str, Mapping[str, str]] = {
    "Africa": {
        "Northern Africa": "DZ-DZA EG-EGY LY-LBY MA-MAR SD-SDN TN-TUN EH-ESH",
        "Eastern Africa": "IO-IOT BI-BDI KM-COM DJ-DJI ER-ERI ET-ETH TF-ATF KE-KEN MG-MDG MW-MWI MU-MUS YT-MYT MZ-MOZ "
        "RE-REU RW-RWA SC-SYC SO-SOM SS-SSD UG-UGA TZ-TZA ZM-ZMB ZW-ZWE",
        "Middle Africa": "AO-AGO CM-CMR CF-CAF TD-TCD CG-COG CD-COD GQ-GNQ GA-GAB ST-STP",
        "Southern Africa": "BW-BWA SZ-SWZ LS-LSO NA-NAM ZA-ZAF",
        "Western Africa": "BJ-BEN BF-BFA CV-CPV CI-CIV GM-GMB GH-GHA GN-GIN GW-GNB LR-LBR ML-MLI MR-MRT NE-NER NG-NGA "
        "SH-SHN SN-SEN SL-SLE TG-TGO",
    },
    "Americas": {
        "Caribbean": "AI-AIA AG-ATG AW-ABW BS-BHS BB-BRB BQ-BES VG-VGB KY-CYM CU-CUB CW-CUW DM-DMA DO-DOM GD-GRD "
        "GP-GLP HT-HTI JM-JAM MQ-MTQ MS-MSR PR-PRI BL-BLM KN-KNA LC-LCA MF-MAF VC-VCT SX-SXM TT-TTO TC-TCA VI-VIR",
        "Central America": "BZ-BLZ CR-CRI SV-SLV GT-GTM HN-HND MX-MEX NI-NIC PA-PAN",
        "South America": "AR-ARG BO-BOL BV-BVT BR-BRA CL-CHL CO-COL EC-ECU FK-FLK GF-GUF GY-GUY PY-PRY PE-PER GS-SGS "
        "SR-SUR UY-URY VE-VEN",
        "Northern America": "BM-BMU CA-CAN GL-GRL PM-SPM US-USA",
    },
    "Antarctica": {"Antarctica": "AQ-ATA"},
    "Asia": {
        "Central Asia": "KZ-KAZ KG-KGZ TJ-TJK TM-TKM UZ-UZB",
        "Eastern Asia": "CN-CHN HK-HKG MO-MAC KP-PRK JP-JPN MN-MNG KR-KOR TW-TWN",
        "South-eastern Asia": "BN-BRN KH-KHM ID-IDN LA-LAO MY-MYS MM-MMR PH-PHL SG-SGP TH-THA TL-TLS VN-VNM",
        "Southern Asia": "AF-AFG BD-BGD BT-BTN IN-IND IR-IRN MV-MDV NP-NPL PK-PAK LK-LKA",
        "Western Asia": "AM-ARM AZ-AZE BH-BHR CY-CYP GE-GEO IQ-IRQ IL-ISR JO-JOR KW-KWT LB-LBN OM-OMN QA-QAT SA-SAU "
        "PS-PSE SY-SYR TR-TUR AE-ARE YE-YEM",
    },
    "Europe": {
        "Eastern Europe": "BY-BLR BG-BGR CZ-CZE HU-HUN PL-POL MD-MDA RO-ROU RU-RUS SK-SVK UA-UKR",
        "Northern Europe": "AX-ALA DK-DNK EE-EST FO-FRO FI-FIN GG-GGY IS-ISL IE-IRL IM-IMN JE-JEY LV-LVA LT-LTU NO-NOR "
        "SJ-SJM SE-SWE GB-GBR",
        "Southern Europe": "AL-ALB AD-AND BA-BIH HR-HRV GI-GIB GR-GRC VA-VAT IT-ITA MT-MLT ME-MNE MK-MKD PT-PRT SM-SMR "
        "RS-SRB SI-SVN ES-ESP",
        "Western Europe": "AT-AUT BE-BEL FR-FRA DE-DEU LI-LIE LU-LUX MC-MCO NL-NLD CH-CHE",
    },
    "Oceania": {
        "Australia and New Zealand": "AU-AUS CX-CXR CC-CCK HM-HMD NZ-NZL NF-NFK",
        "Melanesia": "FJ-FJI NC-NCL PG-PNG SB-SLB VU-VUT",
        "Micronesia": "GU-GUM KI-KIR MH-MHL FM-FSM NR-NRU MP-MNP PW-PLW UM-UMI",
        "Polynesia": "AS-ASM CK-COK PF-PYF NU-NIU PN-PCN WS-WSM TK-TKL TO-TON TV-TUV WF-WLF",
    },
}


@cache
def places_of_countries() -> dict[str, Path]:
    """The region and the continent of every code."""
    return {
        code: (region, continent)
        for continent, regions in _REGIONS.items()
        for region, countries in regions.items()
        for pair in countries.split()
        for code in pair.split("-")
    }


class Countries(Structured):
    """Countries by their ISO 3166 code of two or three letters: ``IT``, ``Southern Europe``, ``Europe``.

    The groups are those of the United Nations' M49; Taiwan, which it does not list, stands with Eastern Asia.

    Examples
    --------
    >>> Countries().above("IT"), Countries().above("jpn")
    (('Southern Europe', 'Europe'), ('Eastern Asia', 'Asia'))
    """

    name: ClassVar[str] = "countries"
    shorthand: ClassVar[str] = "countries"
    level_names = ("region", "continent")
    what = "country codes (ISO 3166, two or three letters)"

    def above(self, text: str) -> Path | None:
        return places_of_countries().get(text.strip().upper())
