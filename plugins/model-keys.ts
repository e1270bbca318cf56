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
