/** A file as the rules read it: its path below the repository and its text. */
export interface TextFile {
  path: string;
  text: string;
}

const topLevel = new Set([
  ...[
    'cli',
    'compiler',
    'deploy',
    'docs',
    'examples',
    'golden',
    'runtime',
    'sandbox',
    'schemas',
    'semantics',
    'test',
  ],
  ...['.ci', '.editorconfig', '.gitattributes', '.gitignore', '.npmrc', '.nvmrc', '.oxlintrc.json'],
  ...[
    '.oxfmtrc.json',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'NOTICE',
    'README.md',
  ],
  ...['SECURITY.md', 'knip.json', 'package-lock.json', 'package.json', 'tsconfig.json', 'vitest.config.ts'],
]);

/** The rooms; each has a README. */
export const rooms = ['cli', 'compiler', 'deploy', 'runtime', 'sandbox', 'schemas', 'semantics'];

const generated = /^(schemas\/generated\/|schemas\/kubernetes\/|deploy\/crds\/|package-lock\.json$)/;

const maxLines = 400;

/** A note about later work without a link to an issue. The words are split, because the rule would find itself. */
const looseEnd = new RegExp(`\\b(TO${'DO'}|FIX${'ME'}|XX${'X'})\\b(?!.*https://)`);

/** A package without a hash may have any content; one that names a registry can only come from there. */
interface Lockfile {
  packages?: Record<string, { integrity?: string; resolved?: string; link?: boolean; workspaces?: string[] }>;
}

/** Every rule about one file: returns what is wrong with it. */
export const fileRules: Readonly<Record<string, (file: TextFile) => string | undefined>> = {
  'known top level': ({ path }) => {
    const [top = ''] = path.split('/');
    return topLevel.has(top) ? undefined : `${top} is not of the top level`;
  },
  'telling names': ({ path }) => {
    const name = path.split('/').find((part) => /^(utils?|common|helpers?|lib|misc)(\.|$)/.test(part));
    return name === undefined ? undefined : `${name} says nothing about what it holds`;
  },
  'short sources': ({ path, text }) => {
    if (generated.test(path) || !/\.(ts|js|mjs|sh)$/.test(path)) return undefined;
    const lines = text.split('\n').length - 1;
    return lines > maxLines ? `${String(lines)} lines` : undefined;
  },
  'no loose ends': ({ path, text }) => {
    if (generated.test(path)) return undefined;
    const line = text.split('\n').find((each) => looseEnd.test(each));
    return line === undefined ? undefined : `without a link: ${line.trim()}`;
  },
  'no conflict markers': ({ text }) => {
    const line = text.split('\n').findIndex((each) => /^(<{7}|>{7}) /.test(each));
    return line < 0 ? undefined : `line ${String(line + 1)} is left from a merge`;
  },
  'no machine paths': ({ text }) => {
    const match = /(^|[\s'"`(=:])\/(home|root|Users|tmp|work)\/[\w.-]+/m.exec(text);
    return match === null ? undefined : match[0].trim();
  },
  'clean whitespace': ({ path, text }) => {
    if (text.includes('\r')) return 'carriage returns';
    if (text !== '' && !text.endsWith('\n')) return 'no newline at the end';
    if (generated.test(path)) return undefined;
    const line = text.split('\n').findIndex((each) => /[ \t]$/.test(each));
    return line < 0 ? undefined : `line ${String(line + 1)} ends in a blank`;
  },
  'hashed packages': ({ path, text }) => {
    if (path !== 'package-lock.json') return undefined;
    const { packages = {} } = JSON.parse(text) as Lockfile;
    const { workspaces = [] } = packages[''] ?? {};
    for (const [name, { integrity, link, resolved = '' }] of Object.entries(packages)) {
      if (resolved.includes('://')) return `${name} comes from a place of its own: ${resolved}`;
      if (link === true || name === '' || workspaces.includes(name)) continue;
      if (integrity === undefined) return `${name} has no integrity hash`;
    }
    return undefined;
  },
};

/** All problems as `rule: path: what`, sorted. */
export function untidy(files: readonly TextFile[]): string[] {
  return files
    .flatMap((file) =>
      Object.entries(fileRules).map(([name, rule]) => {
        const what = rule(file);
        return what === undefined ? '' : `${name}: ${file.path}: ${what}`;
      }),
    )
    .filter((finding) => finding !== '')
    .sort();
}

/** Rooms that have files but no README. */
export function roomsWithoutReadme(paths: readonly string[]): string[] {
  return rooms.filter(
    (room) => paths.some((path) => path.startsWith(`${room}/`)) && !paths.includes(`${room}/README.md`),
  );
}
