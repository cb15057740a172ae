import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { isObject } from './identity.ts';
import { type GivenText, readGiven, readSource, readYaml } from './read.ts';

/** An object in git of a kind that is not planned. Nothing but its name was validated. */
export interface OtherObject {
  object: JsonObject;
  /** Undefined if the manifest names none. */
  namespace: string | undefined;
  name: string;
}

/**
 * The objects in these files, and in lists there, that are wanted and have a name. Unreadable files and documents are left out:
 * loading the state has reported them.
 */
export function readOtherObjects(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
  isWanted: (object: JsonObject) => boolean,
): OtherObject[] {
  const wantedIn = (value: Json): JsonObject[] => {
    if (!isObject(value)) return [];
    if (Array.isArray(value['items'])) return value['items'].flatMap(wantedIn);
    return isWanted(value) ? [value] : [];
  };
  return files.flatMap((file) => {
    const { source } = typeof file === 'string' ? readSource(host, file, budget) : readGiven(file, budget);
    if (source === undefined) return [];
    const { documents } = readYaml(source, budget, (each) => wantedIn(each).length > 0);
    return documents.flatMap(({ value }) => wantedIn(value)).flatMap((object) => named(object) ?? []);
  });
}

function named(object: JsonObject): OtherObject | undefined {
  const { namespace, name } = isObject(object['metadata']) ? object['metadata'] : {};
  if (typeof name !== 'string') return undefined;
  return { object, name, namespace: typeof namespace === 'string' ? namespace : undefined };
}
