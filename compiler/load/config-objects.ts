import type { JsonObject } from '../../schemas/wire/json.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { readOtherObjects } from './other-objects.ts';
import type { GivenText } from './read.ts';

/** A ConfigMap or Secret in git, without its content. */
export interface ConfigObject {
  kind: 'ConfigMap' | 'Secret';
  /** Undefined if the manifest names none. */
  namespace: string | undefined;
  name: string;
}

/** A file that may hold some. */
export interface ConfigFile {
  file: string | GivenText;
  /** Equal for equal texts. */
  content: string;
}

/** By the path of the file at head; texts from elsewhere by their number. */
export type ConfigFiles = ReadonlyMap<string, ConfigFile>;

const NAMED = /\bkind["']?\s*:\s*["']?(?:ConfigMap|Secret)\b/;

/** Whether a text may hold a ConfigMap or Secret. A search is cheap enough for every file. */
export function mayHoldConfig(text: string): boolean {
  return NAMED.test(text);
}

/**
 * The ConfigMaps and Secrets that base has, and head does not, by `configKey`. Only files that differ are read.
 */
export function droppedConfigs(
  head: { host: CompilerHost; files: ConfigFiles },
  base: { host: CompilerHost; files: ConfigFiles },
  budget: Budget,
): ReadonlyMap<string, ConfigObject> {
  const isSame = (path: string): boolean => head.files.get(path)?.content === base.files.get(path)?.content;
  const changedOf = ({ files }: { files: ConfigFiles }): (string | GivenText)[] =>
    [...files].flatMap(([path, { file }]) => (isSame(path) ? [] : [file]));
  const before = configsIn(base.host, changedOf(base), budget);
  if (before.size === 0) return before;
  for (const key of configsIn(head.host, changedOf(head), budget).keys()) before.delete(key);
  // If not everything was read, what seems to be gone may be there.
  return budget.exceeded === undefined ? before : new Map();
}

export function configKey({ kind, namespace, name }: ConfigObject): string {
  return JSON.stringify([kind, namespace ?? null, name]);
}

function configsIn(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): Map<string, ConfigObject> {
  return new Map(
    readOtherObjects(host, files, budget, isConfig).map(({ object, namespace, name }) => {
      const kind = object['kind'] === 'Secret' ? 'Secret' : 'ConfigMap';
      const each: ConfigObject = { kind, namespace, name };
      return [configKey(each), each];
    }),
  );
}

export function isConfig({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === 'v1' && (kind === 'ConfigMap' || kind === 'Secret');
}
