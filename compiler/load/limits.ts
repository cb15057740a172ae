const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/**
 * How much one run takes before it ends with an error that names the limit: so that any input ends within a minute and
 * 512 MB. `docs/limits.md` lists them for people.
 */
export const LIMITS = {
  /** Bytes of one file. */
  fileBytes: 16 * MEBIBYTE,
  /** Bytes of all files that are read, in both states. */
  readBytes: 128 * MEBIBYTE,
  /** Characters of the files that are kept in memory: those that name OpenKruise, equal ones once, and the plans. */
  keptText: 32 * MEBIBYTE,
  /** Names in all folders that are listed; each folder counts as 5 more. */
  entries: 500_000,
  /** Files that are opened. */
  files: 100_000,
  /** YAML documents that are parsed. */
  documents: 250_000,
  /** YAML tokens that are parsed: keys, values, marks, comments and line ends; `image: nginx` and its line end are 4. */
  tokens: 8_000_000,
  /** Values that all aliases together expand to. */
  aliasValues: 500_000,
  /** Characters in these values. */
  aliasText: 16 * MEBIBYTE,
  /** Objects that are planned, in both states. */
  objects: 25_000,
  /** Characters of the plans of a run, and of the fields that are listed with them. */
  planText: 32 * MEBIBYTE,
  /** YAML tokens of one document. */
  documentTokens: 200_000,
  /** Characters of one value as it is written. */
  valueText: 2 * MEBIBYTE,
  /** Values that the aliases of one document expand to. */
  documentAliasValues: 50_000,
  /** Problems of one file, object or folder that are listed; the others are counted. */
  problemsOfOne: 100,
  /** Problems of a run that are listed. */
  problems: 50_000,
  /** YAML tokens that are parsed once more to find the places of problems; the others are shown where their document begins. */
  placeTokens: 8_000_000,
} as const;

export type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

/** What ends a run when there is too much of it. */
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
  | 'planText';

/** What each is a number of, as the end of a sentence: `more than 100000 files`. */
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
  planText: 'of text in the plans it makes',
};

const SIZES: ReadonlySet<RunLimit> = new Set<RunLimit>(['readBytes', 'keptText', 'aliasText', 'planText']);

/** `128 MiB of files`, `100000 files to read` */
export function limitText(limit: RunLimit, most: number): string {
  return `${SIZES.has(limit) ? sizeText(most) : most} ${UNITS[limit]}`;
}

/** `16 MiB`; smaller sizes in bytes. */
export function sizeText(bytes: number): string {
  return bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.floor(bytes / MEBIBYTE)} MiB`;
}
