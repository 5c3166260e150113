"""What a column holds, by its name and by its values: one recogniser for profiles, presets and guardrails."""
