import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { isObject } from './identity.ts';
import { type GivenText, readGiven, readSource, readYaml } from './read.ts';

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
 * The ConfigMaps and Secrets that base has, and head does not, by `configKey`. Only files that differ are read. Unreadable files
 * and documents are left out: loading the states has reported them.
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
  const found = new Map<string, ConfigObject>();
  for (const file of files) {
    const { source } = typeof file === 'string' ? readSource(host, file, budget) : readGiven(file, budget);
    if (source === undefined) continue;
    for (const { value } of readYaml(source, budget, (each) => objectsIn(each).length > 0).documents)
      for (const object of objectsIn(value)) {
        const { namespace, name } = isObject(object['metadata']) ? object['metadata'] : {};
        const kind = object['kind'] === 'Secret' ? 'Secret' : 'ConfigMap';
        if (typeof name !== 'string') continue;
        const each = {
          kind,
          name,
          namespace: typeof namespace === 'string' ? namespace : undefined,
        } as const;
        found.set(configKey(each), each);
      }
  }
  return found;
}

/** The ConfigMaps and Secrets of a document, or of a list in it. */
function objectsIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value['items'])) return value['items'].flatMap(objectsIn);
  const { apiVersion, kind } = value;
  return apiVersion === 'v1' && (kind === 'ConfigMap' || kind === 'Secret') ? [value] : [];
}
