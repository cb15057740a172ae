import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { isObject } from './identity.ts';
import type { Origin } from './locate.ts';
import { type GivenText, readGiven, readSource, readYaml } from './read.ts';

/** An object in git of a kind that is not planned. Nothing but its name was validated. */
export interface OtherObject {
  object: JsonObject;
  /** Undefined if the manifest names none. */
  namespace: string | undefined;
  name: string;
  origin: Origin;
}

/**
 * The objects in these files, and in lists there, that are wanted and have a name. Unreadable files and documents are left out:
 * loading the state has reported them.
 *
 * @param mayHold whether a text may hold such an object; others are not parsed. Default: each may.
 */
export function readOtherObjects(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
  isWanted: (object: JsonObject) => boolean,
  mayHold: (text: string) => boolean = () => true,
): OtherObject[] {
  const wantedIn = (
    value: Json,
    path: readonly string[],
  ): { object: JsonObject; path: readonly string[] }[] => {
    if (!isObject(value)) return [];
    if (Array.isArray(value['items']))
      return value['items'].flatMap((item, index) => wantedIn(item, [...path, 'items', String(index)]));
    return isWanted(value) ? [{ object: value, path }] : [];
  };
  return files.flatMap((file) => {
    const { source } = typeof file === 'string' ? readSource(host, file, budget) : readGiven(file, budget);
    if (source === undefined || !mayHold(source.text)) return [];
    const { documents } = readYaml(source, budget, (each) => wantedIn(each, []).length > 0);
    return documents.flatMap(({ value, at }) =>
      wantedIn(value, []).flatMap(({ object, path }) => named(object, { source, at, path })),
    );
  });
}

function named(object: JsonObject, origin: Origin): OtherObject[] {
  const { namespace, name } = isObject(object['metadata']) ? object['metadata'] : {};
  if (typeof name !== 'string') return [];
  return [{ object, name, namespace: typeof namespace === 'string' ? namespace : undefined, origin }];
}
