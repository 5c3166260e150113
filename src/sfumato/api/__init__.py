"""The public functions, a module each: ``sfumato.anonymize`` is ``sfumato.api.anonymize``."""
