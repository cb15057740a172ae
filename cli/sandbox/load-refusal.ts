import type { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { atomOf, fieldType, type FieldType, objectType, type ServedVersion } from 'kruise-sandbox';
import { isObject } from '../../compiler/load/identity.ts';
import { suggest } from '../../compiler/text/suggest.ts';

type Json = JsonObject[string] | undefined;

/** What is wrong with an object, and at which field. */
export interface Fault {
  /** The path from the root of the object, as far as the object has it. */
  path: string[];
  /** Whether the message is about the name of the field, not its value. */
  isName?: true;
  message: string;
}

/** The prefix of the server's message about a field of the wrong type. It names the apply request, which does not help here. */
const TYPED = /^failed to create typed patch object \([^)]*\): /;

/** Converts a refusal of the server to faults of the manifest, each with a message and a path. */
export function faultsOf(error: ApiError, object: JsonObject, version: ServedVersion): Fault[] {
  const { message, status } = error;
  const causes = status.details?.causes ?? [];
  if (status.reason === 'Invalid' && causes.length > 0)
    return causes.map((cause) => {
      const { field = '', message: text = '' } = cause;
      return {
        path: follow(object, undefined, field).path,
        message: field === '' ? text : `${field}: ${text}`,
      };
    });
  if (!TYPED.test(message)) return [{ path: [], message }];
  const errors = message.replace(TYPED, '').replace(/^errors:\n/, '');
  return errors.split('\n').map((line) => typedFault(line.trim(), object, objectType(version)));
}

function typedFault(line: string, object: JsonObject, type: FieldType): Fault {
  const { path, found, siblings, rest } = follow(object, type, line.replace(/^\./, ''));
  const field = line.slice(0, line.length - rest.length).replace(/^\./, '');
  const problem = rest.replace(/^: /, '');
  if (problem === 'field not declared in schema') {
    const name = path.at(-1) ?? field;
    const suggestion = suggest(name, siblings);
    return {
      path,
      isName: true,
      message: `unknown field ${field}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
    };
  }
  const wanted = WANTED.find(([start]) => problem.startsWith(start))?.[1];
  if (wanted !== undefined) {
    const isUnquoted = typeof found === 'number' || typeof found === 'boolean';
    const remedy = wanted === 'text' && isUnquoted ? `; write it in quotes: "${String(found)}"` : '';
    const is = described(found);
    // If two items have the same key, the path does not show which one is meant.
    return {
      path,
      message: `${field} must be ${wanted}${is.startsWith(wanted) ? '' : `, found ${is}`}${remedy}`,
    };
  }
  const twice = /^duplicate entries for key \[=?(.*)\]$/.exec(problem)?.[1];
  if (twice !== undefined)
    return { path, message: `${field} has ${twice.replaceAll(',', ', ')} more than once` };
  const [, index = '', why] = /^element (\d+): (.*)$/.exec(problem) ?? [];
  if (why === undefined) return { path, message: line.replace(/^\./, '') };
  const keys = [...why.matchAll(/"([^"]+)"/g)].map(([, key]) => key);
  const missing = why.includes('omits all key fields') ? `has no ${keys.join(' and no ')}` : why;
  return { path: [...path, index], message: `${field}[${index}] ${missing}` };
}

const WANTED: readonly (readonly [string, string])[] = [
  ['expected string,', 'text'],
  ['expected numeric ', 'a number'],
  ['expected boolean,', 'true or false'],
  ['expected list,', 'a list'],
  ['expected map,', 'a map'],
];

function described(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value ?? null)) return 'a map';
  return typeof value === 'string' ? `text: ${JSON.stringify(value)}` : JSON.stringify(value);
}

interface Followed {
  path: string[];
  found: Json;
  /** The names that the last field could have had. */
  siblings: string[];
  /** The rest of the text after the path. */
  rest: string;
}

/**
 * Follows a path in the notation of the server, `spec.containers[name="c"].image` or `spec.containers[0].image`, as far as
 * the object has it. Names may contain dots, so the fields of the object decide where a name ends.
 */
function follow(object: JsonObject, root: FieldType, text: string): Followed {
  const path: string[] = [];
  let found: Json = object;
  let type = root;
  let siblings: string[] = [];
  let rest = text;
  for (;;) {
    const atom = atomOf(type, found);
    if (Array.isArray(found)) {
      const [whole, inside] = /^\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/.exec(rest) ?? [];
      const index: number = inside === undefined ? -1 : indexOf(found, inside);
      if (whole === undefined || index < 0) break;
      path.push(String(index));
      found = found[index];
      type = atom.kind === 'list' ? atom.items : undefined;
      rest = rest.slice(whole.length);
      continue;
    }
    const next = rest.replace(/^\./, '');
    const name = isObject(found ?? null) ? longestName(found as JsonObject, next) : undefined;
    if (name === undefined) break;
    path.push(name);
    found = (found as JsonObject)[name];
    siblings = atom.kind === 'map' ? Object.keys(atom.fields) : [];
    type = atom.kind === 'map' ? fieldType(atom, name) : undefined;
    rest = next.slice(name.length);
  }
  return { path, found, siblings, rest };
}

function longestName(object: JsonObject, text: string): string | undefined {
  const names = Object.keys(object).filter(
    (name) =>
      text.startsWith(name) && (text.length === name.length || '.[:'.includes(text.charAt(name.length))),
  );
  return names.sort((a, b) => b.length - a.length)[0];
}

/** The index of item `0`, `name="c"` or `="a"`; of equal items the last one. */
function indexOf(list: readonly Json[], inside: string): number {
  if (/^\d+$/.test(inside)) return Number(inside) < list.length ? Number(inside) : -1;
  const keys = [...inside.matchAll(/([^=,]*)=("(?:[^"\\]|\\.)*"|[^,]*),?/gy)];
  return list.findLastIndex((item) =>
    keys.every(([, name = '', value]) => {
      const actual = name === '' ? item : isObject(item ?? null) ? (item as JsonObject)[name] : undefined;
      // A missing key has its default.
      return (actual === undefined && keys.length > 1) || JSON.stringify(actual) === value;
    }),
  );
}
