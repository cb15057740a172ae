const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/**
 * The most input that one run accepts before it ends with an error that names the limit: in all of its roots and states
 * together, and what is read twice counts twice. `docs/limits.md` lists them for users.
 */
export const LIMITS = {
  /** Bytes of one file. */
  fileBytes: 16 * MEBIBYTE,
  /** Bytes of all files. */
  readBytes: 128 * MEBIBYTE,
  /** Bytes that git prints: lists of its files, and their content. */
  gitBytes: 512 * MEBIBYTE,
  /** Files in the lists of git. */
  gitNames: 1_000_000,
  /** Bytes that commands of `roots` print. They are in memory until the end of the run. */
  printedBytes: 64 * MEBIBYTE,
  /** Characters of the files in memory: those that name OpenKruise, equal ones once, and the plans. */
  keptText: 32 * MEBIBYTE,
  /** Entries of all listed folders; each folder counts as 5 more. */
  entries: 500_000,
  /** Files that are opened. */
  files: 100_000,
  /** YAML documents. */
  documents: 250_000,
  /**
   * YAML tokens: keys, values, marks, comments and line ends; `image: nginx` and its line end are 4. Each is three of them in a
   * file that is no simple YAML.
   */
  tokens: 8_000_000,
  /** Values to which all aliases together expand. */
  aliasValues: 500_000,
  /** Characters in these values. */
  aliasText: 16 * MEBIBYTE,
  /** Planned objects. */
  objects: 25_000,
  /** Characters of all plans of a run, and of the fields listed with them. */
  planText: 32 * MEBIBYTE,
  /** Characters of all templates that a build adds to. */
  builtText: 64 * MEBIBYTE,
  /** YAML tokens of one document. */
  documentTokens: 200_000,
  /** Characters of one value in the source. */
  valueText: 2 * MEBIBYTE,
  /** Values to which the aliases of one document expand. */
  documentAliasValues: 50_000,
  /** Listed problems of one file, object or folder; the others are counted. */
  problemsOfOne: 100,
  /** Listed problems of a run. */
  problems: 50_000,
  /**
   * YAML tokens that are parsed again to find the positions of problems. Beyond it a problem is shown at the start of its
   * document.
   */
  placeTokens: 1_000_000,
} as const;

export type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

/** The limits that end a run, each with its unit as the end of a sentence: `more than 100000 files to read`. */
const UNITS = {
  readBytes: 'of files',
  files: 'files to read',
  entries: 'files and folders to list',
  gitBytes: 'of output of git',
  gitNames: 'files that git lists',
  printedBytes: 'of output of the commands of roots',
  tokens: 'YAML tokens (keys, values, marks, comments, line ends)',
  documents: 'YAML documents',
  aliasValues: 'values that YAML aliases expand to',
  aliasText: 'of text that YAML aliases expand to',
  keptText: 'of text in files that name apps.kruise.io, and in plans',
  objects: 'objects to plan in both states',
  planText: 'of text in generated plans',
  builtText: 'of text in templates with sidecars',
} as const satisfies Partial<Record<keyof Limits, string>>;

export type RunLimit = keyof typeof UNITS;

export const RUN_LIMITS = Object.keys(UNITS) as readonly RunLimit[];

const SIZES: ReadonlySet<RunLimit> = new Set<RunLimit>([
  'readBytes',
  'gitBytes',
  'printedBytes',
  'keptText',
  'aliasText',
  'planText',
  'builtText',
]);

/** `128 MiB of files`, `100000 files to read` */
export function limitText(limit: RunLimit, most: number): string {
  return `${SIZES.has(limit) ? sizeText(most) : most} ${UNITS[limit]}`;
}

/** `16 MiB`; smaller sizes in bytes. */
export function sizeText(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.floor(bytes / MEBIBYTE)} MiB`;
}
