import type { Setup } from '../../core/backend/contract.ts'

export const setup: Setup = {
  install: 'npm install -g @google/gemini-cli',
  login: {
    variables: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GENAI_USE_VERTEXAI',
      'GOOGLE_GENAI_USE_GCA',
      'GOOGLE_APPLICATION_CREDENTIALS',
    ],
    files: [{ folder: '.gemini', name: 'oauth_creds.json' }],
    elsewhere: {
      where: "the system's keychain",
      ifThere: [{ folder: '.gemini', name: 'settings.json' }],
    },
    how: 'start gemini and log in, or set GEMINI_API_KEY',
  },
  measured: ['0.61.0'],
  troubles: [
    {
      versions: '<=0.61.0',
      text: 'a prompt above 8 MiB is cut without a word, and then not answered',
    },
    {
      versions: '<=0.61.0',
      text: 'it exits without waiting until its output is read: on a machine too busy to read at once, a prompt above 800 KB can cost it its result',
    },
    {
      versions: '<=0.61.0',
      text: 'where the provider pushes back it tries for up to four minutes, and tells nothing on stdout',
    },
  ],
}
