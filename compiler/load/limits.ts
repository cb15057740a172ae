const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/**
 * The most input that one run accepts before it ends with an error that names the limit. With them any input ends within a
 * minute and 512 MB. `docs/limits.md` lists them for users.
 */
export const LIMITS = {
  /** Bytes of one file. */
  fileBytes: 16 * MEBIBYTE,
  /** Bytes of all files, in both states. */
  readBytes: 128 * MEBIBYTE,
  /** Characters of the files in memory: those that name OpenKruise, equal ones once, and the plans. */
  keptText: 32 * MEBIBYTE,
  /** Entries of all listed folders; each folder counts as 5 more. */
  entries: 500_000,
  /** Files that are opened. */
  files: 100_000,
  /** YAML documents. */
  documents: 250_000,
  /** YAML tokens: keys, values, marks, comments and line ends; `image: nginx` and its line end are 4. */
  tokens: 8_000_000,
  /** Values to which all aliases together expand. */
  aliasValues: 500_000,
  /** Characters in these values. */
  aliasText: 16 * MEBIBYTE,
  /** Planned objects, in both states. */
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
  placeTokens: 8_000_000,
} as const;

export type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

/** The limits that end a run. */
export type RunLimit =
  | 'readBytes'
  | 'keptText'
  | 'entries'
  | 'files'
  | 'documents'
  | 'tokens'
  | 'aliasValues'
  | 'aliasText'
  | 'objects'
  | 'planText'
  | 'builtText';

/** The unit of each limit, as the end of a sentence: `more than 100000 files`. */
const UNITS: Readonly<Record<RunLimit, string>> = {
  readBytes: 'of files',
  keptText: 'of text in files that name apps.kruise.io, and in plans',
  entries: 'files and folders to list',
  files: 'files to read',
  documents: 'YAML documents',
  tokens: 'YAML tokens (keys, values, marks, comments, line ends)',
  aliasValues: 'values that YAML aliases expand to',
  aliasText: 'of text that YAML aliases expand to',
  objects: 'objects to plan in both states',
  planText: 'of text in generated plans',
  builtText: 'of text in templates with sidecars',
};

const SIZES: ReadonlySet<RunLimit> = new Set<RunLimit>([
  'readBytes',
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
