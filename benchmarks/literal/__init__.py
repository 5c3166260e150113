"""The papers' algorithms to the letter, where Sfumato's own are stronger, to test the papers' claims fairly.

Users gain nothing from these methods, so none of them is registered. They are built from the product's parts and
differ from its methods in what their names and fields say, one cause at a time. Releases made with them are verified
like any other: ``sf.anonymize(…, method=LiteralMondrian())``.
"""
