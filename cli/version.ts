import packageJson from '../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;

/** The spellings of the request for the version. */
const NAMES = new Set(['--version', '-v', '-V', 'version']);

/** The output for arguments that request the version; undefined for all others. */
export function versionText(args: readonly string[]): string | undefined {
  return NAMES.has(args[0] ?? '') ? `${VERSION}\n` : undefined;
}
