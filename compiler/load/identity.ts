import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { OPENKRUISE_GROUP, SHARED_KINDS } from '../../semantics/kinds/openkruise.ts';
import { GROUPS, KINDS, PLANNED, plannedKind } from '../plan/kinds.ts';
import { editDistance, suggest } from '../text/suggest.ts';
import type { Locator, Origin } from './locate.ts';

const GROUP_NAMES = [...GROUPS];
const OWN = KINDS.filter((kind) => !SHARED_KINDS.has(kind));

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function groupOf(value: JsonObject): string {
  const apiVersion = value['apiVersion'];
  return typeof apiVersion === 'string' ? (apiVersion.split('/')[0] ?? '') : '';
}

/** Whether the object is of a group whose kinds are known here. */
export function isSupportedKind(value: JsonObject): boolean {
  return GROUPS.has(groupOf(value));
}

/** Whether a text names such a group. */
export function namesGroup(text: string): boolean {
  return GROUP_NAMES.some((group) => text.includes(group));
}

/** Whether a text could hold an object that was meant to be ours: it names the group, almost names it, or a kind. */
export function mayBeSupportedKind(text: string): boolean {
  return namesGroup(text) || /kruise/i.test(text) || OWN_KIND.test(text);
}

const OWN_KIND = new RegExp(`\\bkind["']?\\s*:\\s*["']?(${OWN.join('|')})\\b`, 'i');

/**
 * What keeps an object from being ours although it was meant to be: a group or kind with a typing mistake, a missing
 * one. Undefined for an object of ours, and for one that is plainly somebody else's. Its place is found only when it is asked
 * for.
 */
export function misspelled(
  value: JsonObject,
  origin: Origin,
  locate: Locator,
): (() => Diagnostic) | undefined {
  const { kind, apiVersion } = value;
  if (isSupportedKind(value)) {
    if (kind === undefined) {
      const key = nearKey(value, 'kind') ?? 'apiVersion';
      const meant = `kind: ${[...PLANNED.values()][0]?.id.kind ?? 'KIND'}`;
      return () => diagnostic('KR1024', { kind: undefined, meant }, locate(origin, [key], 'key'));
    }
    if (typeof kind !== 'string' || KINDS.includes(kind)) return undefined;
    const meant = suggest(kind, KINDS);
    if (meant === undefined) return undefined;
    return () => diagnostic('KR1024', { kind, meant }, locate(origin, ['kind'], 'value'));
  }
  const { metadata, spec } = value;
  if (kind === undefined && apiVersion === undefined && isObject(metadata) && isObject(spec))
    return spec['template'] === undefined
      ? undefined
      : () => diagnostic('KR1027', {}, locate(origin, [], 'value'));
  if (typeof kind !== 'string') return undefined;
  if (apiVersion === undefined) {
    if (!OWN.includes(kind)) return undefined;
    const key = nearKey(value, 'apiVersion');
    const found = key === undefined ? 'no apiVersion' : `'${key}' instead of apiVersion`;
    const meant = key === undefined ? `apiVersion: ${groupFor(kind)}/v1alpha1` : 'apiVersion';
    return () => diagnostic('KR1023', { kind, found, meant }, locate(origin, [key ?? 'kind'], 'key'));
  }
  if (!KINDS.includes(kind) || typeof apiVersion !== 'string') return undefined;
  const [group, wanted] = [groupOf(value), groupFor(kind)];
  const close = editDistance(group.toLowerCase(), wanted, 3) <= 3;
  if (!close && !(OWN.includes(kind) && (group === 'apps' || group === 'v1' || group === 'kruise.io'))) {
    return undefined;
  }
  const version = apiVersion.split('/')[1];
  const meant = `${wanted}/${version === undefined || !/^v1(alpha|beta)1$/.test(version) ? 'v1alpha1' : version}`;
  const found = `the apiVersion '${apiVersion.slice(0, 80)}'`;
  return () => diagnostic('KR1023', { kind, found, meant }, locate(origin, ['apiVersion'], 'value'));
}

/** The group that a kind of this name is in. */
function groupFor(kind: string): string {
  return plannedKind(kind)?.id.group ?? OPENKRUISE_GROUP;
}

/** An object has few fields at its root; in a map of thousands nobody has misspelled one. */
const MOST_KEYS = 50;

function nearKey(value: JsonObject, wanted: string): string | undefined {
  return Object.keys(value)
    .slice(0, MOST_KEYS)
    .find((key) => editDistance(key.toLowerCase(), wanted.toLowerCase(), 2) <= 2);
}
