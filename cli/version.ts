import packageJson from '../package.json' with { type: 'json' };

/** However people ask for it. */
const NAMES = new Set(['--version', '-v', '-V', 'version']);

/** What is printed for words that ask for the version; undefined: they ask for something else. */
export function versionText(words: readonly string[]): string | undefined {
  return NAMES.has(words[0] ?? '') ? `${packageJson.version}\n` : undefined;
}
