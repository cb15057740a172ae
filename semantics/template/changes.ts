import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson } from '../values/canonical-json.ts';

/** One step of a path: a field by its name, or (`member`) an entry of a map or list by its key. */
export interface Segment {
  name: string;
  member: boolean;
}

/** One difference between two canonical templates; nothing below its path is reported again. */
export interface TemplateChange {
  segments: readonly Segment[];
  kind: 'added' | 'removed' | 'changed' | 'reordered' | 'renamed';
  /** Both values; of a reordered list the keys of the members that stay, and of a renamed member its keys. */
  from?: Json;
  to?: Json;
  /** It is in a list member that the other template does not have at the same index under the same key. */
  moved: boolean;
}

/** `template.spec.containers[nginx].image` */
export function pathText(segments: readonly Segment[]): string {
  return `template${segments.map(({ name, member }) => (member ? `[${name}]` : `.${name}`)).join('')}`;
}

/** The path with every key replaced by `*`, as in the tables: `spec.containers[*].image`. */
export function pathPattern(segments: readonly Segment[]): string {
  return segments
    .map(({ name, member }) => (member ? '[*]' : `.${name}`))
    .join('')
    .slice(1);
}

/** The keys of list members. Members of other lists are compared by position. */
const listKeys: readonly (readonly [pattern: RegExp, key: (item: Json) => string | undefined])[] = [
  [/^spec\.(containers|initContainers|ephemeralContainers|volumes|imagePullSecrets)$/, field('name')],
  [/^spec\.(resourceClaims|schedulingGates|securityContext\.sysctls)$/, field('name')],
  [/^spec\.readinessGates$/, field('conditionType')],
  [/^spec\.hostAliases$/, field('ip')],
  [/\]\.(env|claims)$/, field('name')],
  [/\]\.volumeMounts$/, field('mountPath')],
  [/\]\.volumeDevices$/, field('devicePath')],
  [/\]\.resizePolicy$/, field('resourceName')],
  [/\]\.ports$/, portKey],
  [/^metadata\.finalizers$/, (item) => (typeof item === 'string' ? item : undefined)],
];

/** Maps: objects whose keys are data. */
const maps =
  /(^|\.)(labels|annotations|matchLabels|nodeSelector|overhead|limits|requests|options|volumeAttributes|userAnnotations)$/;

/** Objects that are compared field by field even when one side lacks them. */
const structures = /^(metadata|spec)$|(^|\.)resources$/;

function field(name: string): (item: Json) => string | undefined {
  return (item) => {
    const value = isObject(item) ? item[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
}

function portKey(item: Json): string | undefined {
  if (!isObject(item) || typeof item['containerPort'] !== 'number') return undefined;
  const protocol = item['protocol'];
  return `${item['containerPort']}${typeof protocol === 'string' ? `/${protocol}` : ''}`;
}

/**
 * The differences between two canonical templates, each with the deepest path possible, in the order of the templates'
 * sorted keys. A list of plain values (a command) is one difference; so are an added or removed object, and a list of
 * objects without keys whose length changed.
 */
export function templateChanges(from: JsonObject, to: JsonObject): TemplateChange[] {
  const changes: TemplateChange[] = [];
  compareObjects(from, to, { segments: [], pattern: '', moved: false, changes });
  return changes;
}

interface Position {
  segments: readonly Segment[];
  pattern: string;
  moved: boolean;
  changes: TemplateChange[];
}

function below(position: Position, name: string, member: boolean): Position {
  const step = member ? '[*]' : `${position.pattern === '' ? '' : '.'}${name}`;
  return {
    ...position,
    segments: [...position.segments, { name, member }],
    pattern: position.pattern + step,
  };
}

function compareObjects(from: JsonObject, to: JsonObject, position: Position): void {
  const member = maps.test(position.pattern);
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    const after = Object.hasOwn(to, key) ? to[key] : undefined;
    if (before !== after && !isSameNear(before, after, position))
      compare(before, after, below(position, key, member));
  }
}

/**
 * Whether two members have no difference, where that is worth a look: most of two templates is equal, and a path costs more than its
 * comparison. Further down each member would be compared once more for each level above it.
 */
function isSameNear(from: Json | undefined, to: Json | undefined, { segments }: Position): boolean {
  return segments.length < 5 && isSame(from, to);
}

function isSame(from: Json | undefined, to: Json | undefined): boolean {
  if (from === to) return true;
  if (Array.isArray(from))
    return Array.isArray(to) && from.length === to.length && from.every((item, i) => isSame(item, to[i]));
  if (!isObject(from) || !isObject(to)) return false;
  const keys = Object.keys(from);
  return (
    keys.length === Object.keys(to).length &&
    keys.every((key) => Object.hasOwn(to, key) && isSame(from[key], to[key]))
  );
}

function compare(from: Json | undefined, to: Json | undefined, position: Position): void {
  if (isListOrAbsent(from) && isListOrAbsent(to)) {
    compareLists(from, to, position);
  } else if (isObject(from) && isObject(to)) {
    compareObjects(from, to, position);
  } else if (isObjectOrAbsent(from) && isObjectOrAbsent(to) && isComparedWhenAbsent(position.pattern)) {
    compareObjects(from ?? {}, to ?? {}, position);
  } else {
    report(position, from, to);
  }
}

function isComparedWhenAbsent(pattern: string): boolean {
  return maps.test(pattern) || structures.test(pattern);
}

function compareLists(from: Json[] | undefined, to: Json[] | undefined, position: Position): void {
  const key = listKeys.find(([lists]) => lists.test(position.pattern))?.[1];
  if (key === undefined) {
    if (from !== undefined && to !== undefined) comparePositions(from, to, position);
    else report(position, from, to);
  } else if (!compareKeyed(from ?? [], to ?? [], key, position)) {
    comparePositions(from ?? [], to ?? [], { ...position, moved: true });
  }
}

function comparePositions(from: Json[], to: Json[], position: Position): void {
  if (from.length === to.length && [...from, ...to].every(isObject)) {
    for (const [index, item] of from.entries())
      compare(item, to[index], below(position, String(index), true));
  } else if (canonicalJson(from) !== canonicalJson(to)) {
    report(position, from, to);
  }
}

/** Compares two lists by key. False if a member has no key, or two have the same one: then position counts. */
function compareKeyed(
  from: Json[],
  to: Json[],
  keyOf: (item: Json) => string | undefined,
  position: Position,
): boolean {
  const before = keyed(from, keyOf);
  const after = keyed(to, keyOf);
  if (before === undefined || after === undefined) return false;
  const renamed = renames(before, after);
  for (const [key, { item, index }] of before) {
    const other = after.get(key);
    if (other !== undefined && other.item === item) continue;
    const newKey = renamed.get(key);
    const at = below({ ...position, moved: position.moved || other?.index !== index }, key, true);
    if (other !== undefined) compare(item, other.item, at);
    else if (newKey !== undefined)
      position.changes.push({ segments: at.segments, kind: 'renamed', from: key, to: newKey, moved: false });
    else report(at, item, undefined);
  }
  const newNames = new Set(renamed.values());
  for (const [key, { item }] of after) {
    if (!before.has(key) && !newNames.has(key)) report(below(position, key, true), undefined, item);
  }
  const stayed = [...before.keys()].filter((key) => after.has(key));
  const order = [...after.keys()].filter((key) => before.has(key));
  if (stayed.some((key, i) => key !== order[i])) {
    const { segments } = position;
    position.changes.push({ segments, kind: 'reordered', from: stayed, to: order, moved: false });
  }
  return true;
}

type Keyed = Map<string, { item: Json; index: number }>;

function keyed(list: Json[], keyOf: (item: Json) => string | undefined): Keyed | undefined {
  const members: Keyed = new Map();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    if (key === undefined || members.has(key)) return undefined;
    members.set(key, { item, index });
  }
  return members;
}

/** Renamed members, old key to new key: they are at the same index, and differ in `name` only. */
function renames(before: Keyed, after: Keyed): Map<string, string> {
  const found = new Map<string, string>();
  const newAt = new Map(
    [...after].filter(([key]) => !before.has(key)).map(([key, { item, index }]) => [index, { key, item }]),
  );
  for (const [key, { item, index }] of before) {
    const other = newAt.get(index);
    if (after.has(key) || other === undefined || !isObject(item) || !isObject(other.item)) continue;
    if (item['name'] === undefined || other.item['name'] === undefined) continue;
    if (canonicalJson({ ...item, name: '' }) === canonicalJson({ ...other.item, name: '' }))
      found.set(key, other.key);
  }
  return found;
}

function report(position: Position, from: Json | undefined, to: Json | undefined): void {
  const kind = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
  position.changes.push({
    segments: position.segments,
    kind,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    moved: position.moved,
  });
}

function isListOrAbsent(value: Json | undefined): value is Json[] | undefined {
  return value === undefined || Array.isArray(value);
}

function isObjectOrAbsent(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isObject(value);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
