import type { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { atomOf, fieldType, objectType, type FieldType } from '../../sandbox/fields/atom.ts';
import type { ServedVersion } from '../../sandbox/api/registry.ts';
import { isObject } from '../../compiler/load/identity.ts';
import { suggest } from '../../compiler/text/suggest.ts';

type Json = JsonObject[string] | undefined;

/** What is wrong in an object, and at which of its fields. */
export interface Fault {
  /** From the object's root, as far as the object goes along. */
  path: string[];
  /** The name of the field is meant rather than what it holds. */
  isName?: true;
  message: string;
}

/** How the server begins when a field is not of its type; it applies, and speaks of that. */
const TYPED = /^failed to create typed patch object \([^)]*\): /;

/** What the server refused about an object, as faults of a manifest: a sentence each, and where it stands. */
export function faultsOf(error: ApiError, object: JsonObject, version: ServedVersion): Fault[] {
  const { message, status } = error;
  const causes = status.details?.causes ?? [];
  if (status.reason === 'Invalid' && causes.length > 0)
    return causes.map((cause) => {
      const { field = '', message: text = '' } = cause;
      return {
        path: walk(object, undefined, field).path,
        message: field === '' ? text : `${field}: ${text}`,
      };
    });
  if (!TYPED.test(message)) return [{ path: [], message }];
  const told = message.replace(TYPED, '').replace(/^errors:\n/, '');
  return told.split('\n').map((line) => typedFault(line.trim(), object, objectType(version)));
}

function typedFault(line: string, object: JsonObject, type: FieldType): Fault {
  const { path, found, siblings, rest } = walk(object, type, line.replace(/^\./, ''));
  const field = line.slice(0, line.length - rest.length).replace(/^\./, '');
  const problem = rest.replace(/^: /, '');
  if (problem === 'field not declared in schema') {
    const name = path.at(-1) ?? field;
    const meant = suggest(name, siblings);
    return {
      path,
      isName: true,
      message: `unknown field ${field}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    };
  }
  const wanted = WANTED.find(([start]) => problem.startsWith(start))?.[1];
  if (wanted !== undefined) {
    const isBare = typeof found === 'number' || typeof found === 'boolean';
    const way = wanted === 'text' && isBare ? `; write it in quotes: "${String(found)}"` : '';
    const is = described(found);
    // Of two items with one key the path does not tell which is meant.
    return {
      path,
      message: `${field} must be ${wanted}${is.startsWith(wanted) ? '' : `, and is ${is}`}${way}`,
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

interface Walked {
  path: string[];
  found: Json;
  /** The names that the last field could have had. */
  siblings: string[];
  /** What of the text is no path any more. */
  rest: string;
}

/**
 * Follows a path in a server's notation, `spec.containers[name="c"].image` or `spec.containers[0].image`, as far as the
 * object has it. Names may hold dots themselves, so the object says where one ends.
 */
function walk(object: JsonObject, root: FieldType, text: string): Walked {
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

/** Which item `0`, `name="c"` or `="a"` is; the last one where two are the same. */
function indexOf(list: readonly Json[], inside: string): number {
  if (/^\d+$/.test(inside)) return Number(inside) < list.length ? Number(inside) : -1;
  const keys = [...inside.matchAll(/([^=,]*)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return list.findLastIndex((item) =>
    keys.every(([, name = '', value]) => {
      const actual = name === '' ? item : isObject(item ?? null) ? (item as JsonObject)[name] : undefined;
      // A key that is left out has its default.
      return (actual === undefined && keys.length > 1) || JSON.stringify(actual) === value;
    }),
  );
}
