/** Keys of providers, for programs that talk to many. */
export const MODEL_KEYS = [
  'ANTHROPIC_*',
  'AZURE_*',
  'CEREBRAS_*',
  'DEEPSEEK_*',
  'GEMINI_*',
  'GOOGLE_*',
  'GROQ_*',
  'MISTRAL_*',
  'MOONSHOT_*',
  'OPENAI_*',
  'OPENROUTER_*',
  'XAI_*',
] as const

/** Of these one suffices to call a model. */
export const KEY_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'CEREBRAS_API_KEY',
  'MOONSHOT_API_KEY',
] as const
