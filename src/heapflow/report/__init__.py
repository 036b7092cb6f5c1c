"""From findings to what people and other tools read: model, wording, suppressions, renderers."""
