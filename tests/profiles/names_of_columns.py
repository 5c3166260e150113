"""Names of columns in eleven languages, as hospitals and statistics offices write them, and what they may be taken for.

Written by somebody who had not read how Sfumato recognizes columns. Every name is listed under what it holds; `HOLDS`
says which roles are right for that, and whether it names a person directly.
"""

from __future__ import annotations

from typing import NamedTuple

from tests import people as p


class Held(NamedTuple):
    """What a column holds."""

    make: p.Maker
    #: The roles that a careful statistician would accept.
    roles: str
    #: Names a person by itself: to release it by a guess would be dangerous.
    direct: bool = False


class Named(NamedTuple):
    """A column of a language, and what it holds."""

    language: str
    name: str
    holds: str
    held: Held


IDENTIFIER = "identifier"
NUMBER = "identifier person"
KNOWN = "quasi-identifier"
SECRET = "sensitive"
EITHER = "quasi-identifier sensitive"
ANY = "quasi-identifier sensitive plain"

HOLDS = {
    "surname": Held(p.last, IDENTIFIER, direct=True),
    "first name": Held(p.first, IDENTIFIER, direct=True),
    "full name": Held(p.full, IDENTIFIER, direct=True),
    "relative": Held(p.full, IDENTIFIER, direct=True),
    "record number": Held(p.number(8), NUMBER, direct=True),
    "insurance number": Held(p.like("@#########"), NUMBER, direct=True),
    "national number": Held(p.number(11), NUMBER, direct=True),
    "telephone": Held(p.like("0## #######"), IDENTIFIER, direct=True),
    "mail": Held(p.email, IDENTIFIER, direct=True),
    "street": Held(p.street, IDENTIFIER, direct=True),
    "account": Held(p.iban, IDENTIFIER, direct=True),
    "free text": Held(p.note, IDENTIFIER, direct=True),
    "physician": Held(p.doctor, "identifier quasi-identifier"),
    "day of birth": Held(p.written("%Y-%m-%d", p.birthday), KNOWN),
    "day": Held(p.written("%Y-%m-%d"), KNOWN),
    "day of death": Held(p.sometimes(p.written("%Y-%m-%d"), 0.6), EITHER),
    "year of birth": Held(p.whole(1935, 2005), KNOWN),
    "age": Held(p.whole(18, 89), KNOWN),
    "sex": Held(p.of("1", "2"), KNOWN),
    "postcode": Held(p.like("10###"), KNOWN),
    "town": Held(p.of("A-Stadt", "Beville", "Ceton", "Dedorf"), KNOWN),
    "region": Held(p.of("north", "south", "east", "west"), KNOWN),
    "country": Held(p.of("DE", "FR", "ES", "IT", "PL"), KNOWN),
    "marital status": Held(p.of("1", "2", "3", "4"), KNOWN),
    "education": Held(p.of("1", "2", "3"), KNOWN),
    "occupation": Held(p.of("2211", "5120", "7231", "9112", "4110"), KNOWN),
    "household": Held(p.whole(1, 6), "quasi-identifier plain"),
    "religion": Held(p.of("1", "2", "3", "9"), EITHER),
    "diagnosis": Held(p.of("I10", "E11.9", "J45.0", "K21.9", "F32.1"), SECRET),
    "procedure": Held(p.of("5-470", "5-511", "1-650", "8-930"), ANY),
    "medication": Held(p.of("metformin", "ramipril", "ibuprofen"), "sensitive plain"),
    "blood group": Held(p.of("A", "B", "AB", "0"), ANY),
    "measured": Held(p.whole(90, 180), ANY),
    "body weight": Held(p.whole(45, 120), ANY),
    "income": Held(p.real(2_800, 900, -2), EITHER),
    "cost": Held(p.real(4_000, 1_500, 0), "sensitive plain"),
    "length of stay": Held(p.whole(1, 21), ANY),
    "flag": Held(p.of("0", "1"), ANY),
    "survey weight": Held(p.real(410, 60, 4), "weight plain"),
}

LANGUAGES = {
    "English": """
        surname: surname, LastName, PAT_LNAME, maiden_name
        first name: given_name, FirstName
        full name: patient_name, Name of patient
        relative: next_of_kin, MotherName
        record number: MRN, patient_id, chart_no, HospitalNumber
        insurance number: member_id, policy_no
        national number: nhs_number, SSN
        telephone: phone_home, mobile_no
        mail: email_address
        street: street_address, addr_line1
        account: bank_account
        free text: clinical_notes
        physician: attending_doctor
        day of birth: dob, BirthDate
        day: admission_date, DISCH_DT
        day of death: date_of_death
        year of birth: birth_year
        age: age, AGE_YRS
        sex: sex, Gender
        postcode: zip_code, postcode
        town: city
        region: region
        country: nationality
        marital status: marital_status
        education: education_level
        occupation: occupation
        household: household_size
        religion: religion
        diagnosis: diagnosis, DX_CODE, icd10
        procedure: proc_code
        medication: drug_name
        blood group: blood_group
        measured: systolic_bp
        body weight: weight_kg
        income: annual_income
        cost: total_charges
        length of stay: length_of_stay
        flag: readmitted
        survey weight: sampling_weight, person_weight
    """,
    "German": """
        surname: Nachname, Familienname, Geburtsname, PatNachname
        first name: Vorname, VORNAME_PAT
        full name: Patientenname, Name_Vorname
        relative: Angehöriger, Name der Mutter
        record number: Krankenaktennummer, Patientennummer, Fallnummer, PatNr, Aufnahmenummer
        insurance number: Versichertennummer, KVNR
        national number: Sozialversicherungsnummer, SteuerID
        telephone: Telefonnummer, Handynr
        mail: E-Mail-Adresse
        street: Straße, Wohnadresse
        account: Kontonummer
        free text: Bemerkungen, Anmerkung
        physician: behandelnder Arzt, Einweiser
        day of birth: Geburtsdatum, GebDat
        day: Aufnahmedatum, Entlassdatum
        day of death: Sterbedatum
        year of birth: Geburtsjahr
        age: Alter, Alter_in_Jahren
        sex: Geschlecht
        postcode: PLZ, Postleitzahl
        town: Wohnort, Gemeinde
        region: Bundesland
        country: Staatsangehörigkeit, Geburtsland
        marital status: Familienstand
        education: Schulabschluss
        occupation: Beruf
        household: Haushaltsgröße
        religion: Konfession
        diagnosis: Hauptdiagnose, Nebendiagnosen, ICD_Code
        procedure: OPS_Schlüssel
        medication: Medikament
        blood group: Blutgruppe
        measured: Blutdruck
        body weight: Körpergewicht
        income: Nettoeinkommen
        cost: Behandlungskosten
        length of stay: Verweildauer
        flag: Raucher
        survey weight: Hochrechnungsfaktor, Stichprobengewicht
    """,
    "French": """
        surname: nom, nom_de_famille, nom_naissance, NOM_PATIENT
        first name: prénom, PRENOM
        full name: nom_complet, Nom et prénom
        relative: personne_à_prévenir, nom_de_la_mère
        record number: numéro_dossier, IPP, num_patient, no_sejour
        insurance number: num_assuré, numéro_mutuelle
        national number: NIR, numéro_sécurité_sociale
        telephone: téléphone, tel_portable
        mail: courriel, adresse_mail
        street: adresse, rue
        account: RIB
        free text: commentaire, observations
        physician: médecin_traitant
        day of birth: date_naissance, DateNaiss
        day: date_entrée, date_sortie
        day of death: date_décès
        year of birth: année_naissance
        age: âge, age_patient
        sex: sexe
        postcode: code_postal
        town: commune, ville_résidence
        region: région
        country: nationalité, pays_naissance
        marital status: situation_familiale, état_matrimonial
        education: diplôme
        occupation: profession, catégorie_socioprofessionnelle
        household: taille_ménage
        religion: religion
        diagnosis: diagnostic_principal, diagnostic_associé, code_cim10
        procedure: acte_ccam
        medication: médicament
        blood group: groupe_sanguin
        measured: tension_artérielle
        body weight: poids
        income: revenu_mensuel
        cost: coût_total
        length of stay: durée_séjour
        flag: fumeur
        survey weight: pondération, poids_sondage
    """,
    "Spanish": """
        surname: apellidos, primer_apellido, apellido_materno
        first name: nombre, NOMBRE_PACIENTE
        full name: nombre_completo, Nombre y apellidos
        relative: familiar_contacto, nombre_madre
        record number: historia_clinica, numero_paciente, NHC, num_episodio
        insurance number: numero_afiliado, num_poliza
        national number: DNI, CURP, numero_seguridad_social
        telephone: teléfono, celular
        mail: correo_electrónico
        street: dirección, domicilio
        account: cuenta_bancaria
        free text: observaciones, comentarios
        physician: médico_responsable
        day of birth: fecha_nacimiento, FechaNac
        day: fecha_ingreso, fecha_alta
        day of death: fecha_defunción
        year of birth: año_nacimiento
        age: edad, edad_años
        sex: sexo, género
        postcode: código_postal
        town: municipio, ciudad
        region: provincia, comunidad_autónoma
        country: nacionalidad, país_nacimiento
        marital status: estado_civil
        education: nivel_estudios
        occupation: ocupación, profesión
        household: tamaño_hogar
        religion: religión
        diagnosis: diagnóstico_principal, cod_diagnostico, enfermedad
        procedure: procedimiento
        medication: medicamento
        blood group: grupo_sanguíneo
        measured: presión_arterial
        body weight: peso
        income: ingresos_mensuales
        cost: coste_total
        length of stay: días_estancia
        flag: fumador
        survey weight: factor_expansión, factor_elevación
    """,
    "Italian": """
        surname: cognome, COGNOME_PAZ, cognome_nascita
        first name: nome, NOME_PAZIENTE
        full name: nominativo, Cognome e nome
        relative: nome_madre, persona_di_riferimento
        record number: numero_cartella, codice_paziente, id_paziente, num_ricovero
        insurance number: numero_tessera, polizza
        national number: codice_fiscale, tessera_sanitaria
        telephone: telefono, cellulare
        mail: posta_elettronica, indirizzo_email
        street: indirizzo, via
        account: conto_corrente
        free text: note, osservazioni
        physician: medico_curante
        day of birth: data_nascita, DataNasc
        day: data_ricovero, data_dimissione
        day of death: data_decesso
        year of birth: anno_nascita
        age: età, eta_anni
        sex: sesso, genere
        postcode: CAP
        town: comune, città_residenza
        region: regione, provincia_residenza
        country: cittadinanza, paese_nascita
        marital status: stato_civile
        education: titolo_studio
        occupation: professione
        household: componenti_famiglia
        religion: religione
        diagnosis: diagnosi_principale, diagnosi, cod_patologia
        procedure: intervento
        medication: farmaco
        blood group: gruppo_sanguigno
        measured: pressione_arteriosa
        body weight: peso_corporeo
        income: reddito_annuo
        cost: costo_totale
        length of stay: giorni_degenza
        flag: fumatore
        survey weight: coefficiente_riporto, peso_campionario
    """,
    "Portuguese": """
        surname: sobrenome, apelido, ultimo_nome
        first name: primeiro_nome, nome_proprio
        full name: nome_completo, NOME_PACIENTE
        relative: nome_mae, contato_familiar
        record number: prontuario, numero_processo, id_paciente, num_internacao
        insurance number: numero_carteirinha, cartao_sus
        national number: CPF, RG, NIF
        telephone: telefone, telemóvel, celular
        mail: endereco_email
        street: endereço, logradouro, morada
        account: conta_bancaria
        free text: observações, anotacoes
        physician: médico_responsavel
        day of birth: data_nascimento, DT_NASC
        day: data_internacao, data_alta
        day of death: data_obito
        year of birth: ano_nascimento
        age: idade, IDADE_ANOS
        sex: sexo
        postcode: CEP, código_postal
        town: município, cidade, bairro
        region: estado, UF
        country: nacionalidade, país_nascimento
        marital status: estado_civil
        education: escolaridade
        occupation: profissão, ocupação
        household: tamanho_familia
        religion: religião
        diagnosis: diagnóstico, cid_principal, doença
        procedure: procedimento_realizado
        medication: medicamento
        blood group: tipo_sanguineo
        measured: pressao_arterial
        body weight: peso_kg
        income: renda_mensal
        cost: custo_total
        length of stay: dias_permanencia
        flag: fumante
        survey weight: peso_amostral, fator_expansao
    """,
    "Dutch": """
        surname: achternaam, meisjesnaam, familienaam
        first name: voornaam, VOORNAMEN, roepnaam
        full name: patiëntnaam, naam_patient
        relative: contactpersoon, naam_moeder
        record number: patiëntnummer, dossiernummer, opnamenummer, patnr
        insurance number: verzekerdennummer, polisnummer
        national number: BSN, burgerservicenummer
        telephone: telefoonnummer, mobiel_nr
        mail: e-mailadres
        street: straatnaam, huisadres, adres
        account: rekeningnummer
        free text: opmerkingen, toelichting
        physician: behandelend_arts, huisarts
        day of birth: geboortedatum, GebDatum
        day: opnamedatum, ontslagdatum
        day of death: overlijdensdatum
        year of birth: geboortejaar
        age: leeftijd
        sex: geslacht
        postcode: postcode
        town: woonplaats, gemeente
        region: provincie
        country: nationaliteit, geboorteland
        marital status: burgerlijke_staat
        education: opleidingsniveau
        occupation: beroep
        household: huishoudgrootte
        religion: godsdienst
        diagnosis: hoofddiagnose, diagnosecode, aandoening
        procedure: verrichting
        medication: geneesmiddel
        blood group: bloedgroep
        measured: bloeddruk
        body weight: lichaamsgewicht
        income: jaarinkomen
        cost: zorgkosten
        length of stay: ligduur
        flag: roker
        survey weight: ophoogfactor, weegfactor
    """,
    "Polish": """
        surname: nazwisko, nazwisko_panieńskie, NAZWISKO_PACJENTA
        first name: imię, IMIE, imiona
        full name: imię_i_nazwisko, dane_pacjenta
        relative: imię_matki, osoba_kontaktowa
        record number: numer_pacjenta, nr_historii_choroby, nr_kartoteki, id_pacjenta
        insurance number: numer_ubezpieczenia, nr_polisy
        national number: PESEL, nr_dowodu
        telephone: telefon, nr_tel, komórka
        mail: adres_email
        street: ulica, adres_zamieszkania
        account: numer_konta
        free text: uwagi, opis
        physician: lekarz_prowadzący
        day of birth: data_urodzenia, DataUr
        day: data_przyjęcia, data_wypisu
        day of death: data_zgonu
        year of birth: rok_urodzenia
        age: wiek, wiek_lata
        sex: płeć
        postcode: kod_pocztowy
        town: miejscowość, gmina, miasto
        region: województwo, powiat
        country: obywatelstwo, kraj_urodzenia
        marital status: stan_cywilny
        education: wykształcenie
        occupation: zawód
        household: wielkość_gospodarstwa
        religion: wyznanie
        diagnosis: rozpoznanie, rozpoznanie_główne, choroba
        procedure: procedura
        medication: lek
        blood group: grupa_krwi
        measured: ciśnienie
        body weight: masa_ciała
        income: dochód_miesięczny
        cost: koszt_leczenia
        length of stay: czas_pobytu
        flag: palacz
        survey weight: waga_próby, waga_uogólniająca
    """,
    "Chinese": """
        surname: 姓
        first name: 名字
        full name: 姓名, 患者姓名, 病人姓名
        relative: 联系人姓名, 家属姓名, 监护人
        record number: 病历号, 住院号, 病案号, 患者编号, 门诊号
        insurance number: 医保卡号, 保险号
        national number: 身份证号, 身份证号码, 护照号
        telephone: 电话, 手机号, 联系电话
        mail: 电子邮箱, 邮箱
        street: 地址, 家庭住址, 详细地址
        account: 银行账号, 银行卡号
        free text: 备注, 主诉
        physician: 主治医生
        day of birth: 出生日期, 生日
        day: 入院日期, 出院日期
        day of death: 死亡日期
        year of birth: 出生年份
        age: 年龄
        sex: 性别
        postcode: 邮编, 邮政编码
        town: 城市, 区县
        region: 省份
        country: 国籍
        marital status: 婚姻状况
        education: 学历, 文化程度
        occupation: 职业
        household: 家庭人口
        religion: 宗教信仰
        diagnosis: 诊断, 主要诊断, 疾病编码
        procedure: 手术名称
        medication: 药品名称
        blood group: 血型
        measured: 血压
        body weight: 体重
        income: 年收入
        cost: 住院费用
        length of stay: 住院天数
        flag: 吸烟
        survey weight: 抽样权重, 权数
    """,
    "Japanese": """
        surname: 姓, 名字, 苗字
        first name: 名前
        full name: 氏名, 患者氏名, フリガナ
        relative: 保護者氏名, 緊急連絡先
        record number: 患者番号, カルテ番号, 患者ID, 入院番号
        insurance number: 被保険者番号, 保険証番号
        national number: マイナンバー, 個人番号
        telephone: 電話番号, 携帯電話
        mail: メールアドレス
        street: 住所, 番地
        account: 口座番号
        free text: 備考, 所見
        physician: 担当医, 主治医
        day of birth: 生年月日, 誕生日
        day: 入院日, 退院日
        day of death: 死亡日
        year of birth: 出生年
        age: 年齢
        sex: 性別
        postcode: 郵便番号
        town: 市区町村
        region: 都道府県
        country: 国籍
        marital status: 婚姻状況, 配偶関係
        education: 学歴, 最終学歴
        occupation: 職業
        household: 世帯人員
        religion: 宗教
        diagnosis: 診断名, 主病名, 病名コード
        procedure: 手術
        medication: 薬剤名
        blood group: 血液型
        measured: 血圧
        body weight: 体重
        income: 年収, 世帯収入
        cost: 医療費
        length of stay: 在院日数
        flag: 喫煙
        survey weight: 集計用乗率, 標本ウェイト
    """,
    "Arabic": """
        surname: اللقب, اسم العائلة
        first name: الاسم الأول
        full name: الاسم, اسم المريض, الاسم الكامل
        relative: اسم الأم, اسم ولي الأمر
        record number: رقم الملف, رقم المريض, رقم_السجل_الطبي
        insurance number: رقم التأمين, رقم البوليصة
        national number: رقم الهوية, الرقم القومي, رقم جواز السفر
        telephone: رقم الهاتف, الجوال
        mail: البريد الإلكتروني
        street: العنوان, الشارع
        account: رقم الحساب
        free text: ملاحظات
        physician: الطبيب المعالج
        day of birth: تاريخ الميلاد, تاريخ_الولادة
        day: تاريخ الدخول, تاريخ الخروج
        day of death: تاريخ الوفاة
        year of birth: سنة الميلاد
        age: العمر, السن
        sex: الجنس
        postcode: الرمز البريدي
        town: المدينة
        region: المحافظة, المنطقة
        country: الجنسية
        marital status: الحالة الاجتماعية
        education: المستوى التعليمي
        occupation: المهنة
        household: عدد أفراد الأسرة
        religion: الديانة
        diagnosis: التشخيص, رمز المرض
        procedure: العملية الجراحية
        medication: الدواء
        blood group: فصيلة الدم
        measured: ضغط الدم
        body weight: الوزن
        income: الدخل الشهري
        cost: التكلفة
        length of stay: مدة الإقامة
        flag: مدخن
        survey weight: معامل الترجيح, الوزن الإحصائي
    """,
}


def _read(language: str, lines: str) -> list[Named]:
    """The names of a language: every line has what is held, a colon, and names between commas."""
    pairs = (line.strip().split(": ") for line in lines.strip().splitlines())
    return [Named(language, name, holds, HOLDS[holds]) for holds, names in pairs for name in names.split(", ")]


NAMED = {language: _read(language, lines) for language, lines in LANGUAGES.items()}
