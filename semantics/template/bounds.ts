import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { numberOf, objectOf } from '../values/read.ts';

/**
 * What no spec of a real object reaches. A template keeps unknown fields, so that no schema bounds it. A text may be as long as all
 * annotations of an object together, which is twice as long as the longest argument of a program.
 */
export const SPEC_BOUNDS = {
  text: 262_144,
  items: 10_000,
  depth: 64,
  values: 100_000,
  characters: 1_572_864,
  /** As many pods as Kubernetes supports in a cluster. */
  replicas: 150_000,
};

const counted = new WeakMap<object, number>();

/** How many values are in a value, itself and the keys of maps not counted apart. Observed objects are immutable. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const before = counted.get(value);
  if (before !== undefined) return before;
  const count = Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), 1);
  counted.set(value, count);
  return count;
}

interface Place {
  key: string;
  above: Place | undefined;
}

/** The first bound that the spec of an object exceeds; undefined: none. To be asked before any rule reads the spec. */
export function beyondBounds(object: KubeObject): InvalidField | undefined {
  const { spec } = object;
  const replicas = numberOf(objectOf(spec)['replicas']) ?? 0;
  if (replicas > SPEC_BOUNDS.replicas)
    return {
      path: ['spec', 'replicas'],
      rule: `must be at most ${SPEC_BOUNDS.replicas}, and is ${replicas}`,
    };
  return (isWithin(spec) ? undefined : firstBeyond(spec)) ?? beyondPods(object, replicas);
}

/** Whether a spec exceeds none of the bounds. Every object of a run is asked, and hardly one needs the places of its values. */
function isWithin(spec: unknown): boolean {
  let values = 0;
  let characters = 0;
  const fits = (value: unknown, depth: number): boolean => {
    values += 1;
    if (typeof value === 'string') {
      characters += value.length;
      return value.length <= SPEC_BOUNDS.text;
    }
    if (typeof value !== 'object' || value === null) return true;
    if (depth > SPEC_BOUNDS.depth || values > SPEC_BOUNDS.values) return false;
    const keys = Object.keys(value);
    if (keys.length > SPEC_BOUNDS.items) return false;
    const members = value as Record<string, unknown>;
    for (const key of keys) {
      characters += key.length;
      if (!fits(members[key], depth + 1)) return false;
    }
    return true;
  };
  return fits(spec, 1) && values <= SPEC_BOUNDS.values && characters <= SPEC_BOUNDS.characters;
}

function firstBeyond(spec: unknown): InvalidField | undefined {
  let level: [value: unknown, at: Place][] = [[spec, { key: 'spec', above: undefined }]];
  let values = 0;
  let characters = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const [value, at] of level) {
      values += 1;
      if (typeof value === 'string') characters += value.length;
      if (typeof value === 'string' && value.length > SPEC_BOUNDS.text)
        return fault(at, `must have at most ${SPEC_BOUNDS.text} characters, and has ${value.length}`);
      if (typeof value !== 'object' || value === null) continue;
      if (depth > SPEC_BOUNDS.depth)
        return fault(at, `must be nested at most ${SPEC_BOUNDS.depth} levels deep`);
      const entries = Object.entries(value);
      if (entries.length > SPEC_BOUNDS.items)
        return fault(at, `must have at most ${SPEC_BOUNDS.items} entries, and has ${entries.length}`);
      for (const [key, each] of entries) {
        characters += key.length;
        next.push([each, { key, above: at }]);
      }
    }
    if (values > SPEC_BOUNDS.values) return whole(`must have at most ${SPEC_BOUNDS.values} values`);
    if (characters > SPEC_BOUNDS.characters)
      return whole(`must have at most ${SPEC_BOUNDS.characters} characters in all`);
    level = next;
  }
  return undefined;
}

/** Each pod is compared with each term of these fields. */
const TERM_FIELDS = ['updateStrategy', 'lifecycle'];
/** As many values as no real strategy has, and how many comparisons take some tenths of a second. */
const FREE_TERMS = 500;
const MOST_COMPARISONS = 2_000_000;

/**
 * Whether a target asks for more comparisons than one decision may make, as nothing else runs meanwhile: 10,000 terms over 500
 * pods, or 20,000 pods with 600 terms.
 *
 * @param pods how many the target has
 */
export function beyondPods({ spec }: KubeObject, pods: number): InvalidField | undefined {
  const fields = TERM_FIELDS.filter((field) => objectOf(spec)[field] !== undefined);
  const terms = fields.reduce((sum, field) => sum + valuesIn(objectOf(spec)[field]), 0);
  if (terms <= FREE_TERMS || terms * pods <= MOST_COMPARISONS) return undefined;
  const most = Math.max(Math.floor(MOST_COMPARISONS / pods), FREE_TERMS);
  return whole(
    `must have at most ${most} values in ${fields.join(' and ')} for ${pods} pods, and has ${terms}`,
  );
}

function whole(rule: string): InvalidField {
  return { path: ['spec'], rule };
}

/** Keys are of users, too. */
const LONGEST_KEY = 317;

function fault(place: Place, rule: string): InvalidField {
  const path: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.above)
    path.unshift(at.key.slice(0, LONGEST_KEY));
  return { path, rule };
}
