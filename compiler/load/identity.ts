import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import {
  OPENKRUISE_GROUP,
  POLICY_GROUP,
  POLICY_KINDS,
  SHARED_KINDS,
} from '../../semantics/kinds/openkruise.ts';
import { GROUPS, KINDS, kindsOf, PLANNED, REGISTERED } from '../plan/kinds.ts';
import { editDistance, suggest } from '../text/suggest.ts';
import type { Locator, Origin } from './locate.ts';
import { API_VERSION } from '../../semantics/values/api-version.ts';

const GROUP_NAMES = [...GROUPS];
const OWN = KINDS.filter((kind) => !SHARED_KINDS.has(kind));

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function groupOf(value: JsonObject): string {
  const apiVersion = value['apiVersion'];
  return typeof apiVersion === 'string' ? (apiVersion.split('/')[0] ?? '') : '';
}

/** Whether the object is of a group with planned kinds. */
export function isSupportedKind(value: JsonObject): boolean {
  return GROUPS.has(groupOf(value));
}

/** Whether a text names such a group. */
export function namesGroup(text: string): boolean {
  return GROUP_NAMES.some((group) => text.includes(group));
}

/**
 * Whether a text could contain an object of a planned group, possibly misspelled: it names the group, almost names it, or
 * names a kind.
 */
export function mayBeSupportedKind(text: string): boolean {
  return namesGroup(text) || /kruise/i.test(text) || OWN_KIND.test(text);
}

const OWN_KIND = new RegExp(`\\bkind["']?\\s*:\\s*["']?(${OWN.join('|')})\\b`, 'i');

/** An object with a misspelled or missing group or kind. */
interface Misspelled {
  /** Creates the diagnostic. Finding its position takes time, so it is created only if it is listed. */
  report: () => Diagnostic;
  /** The object as it was probably meant, to find its other problems; undefined if that is not clear. */
  meant: JsonObject | undefined;
}

/**
 * Detects an object that was probably meant to be of a planned group, but whose group or kind is misspelled or missing.
 * Undefined for any other object.
 */
export function misspelled(value: JsonObject, origin: Origin, locate: Locator): Misspelled | undefined {
  const { kind, apiVersion } = value;
  if (isSupportedKind(value)) {
    if (kind === undefined) {
      const key = nearKey(value, 'kind') ?? 'apiVersion';
      const suggestion = `kind: ${[...PLANNED.values()][0]?.id.kind ?? 'KIND'}`;
      const args = { group: groupOf(value), kind: undefined, help: `did you mean '${suggestion}'?` };
      return {
        report: () => diagnostic('KR1024', args, locate(origin, [key], 'key')),
        meant: undefined,
      };
    }
    if (typeof kind !== 'string') return undefined;
    // Of a workload among policies the group is wrong, and not the kind.
    const isWorkload = groupOf(value) === POLICY_GROUP && OWN.includes(kind) && !POLICY_KINDS.includes(kind);
    if (!isWorkload) return unknownKind(value, kind, kindsOf(groupOf(value)), origin, locate);
  }
  const { metadata, spec } = value;
  if (kind === undefined && apiVersion === undefined && isObject(metadata) && isObject(spec))
    return spec['template'] === undefined
      ? undefined
      : { report: () => diagnostic('KR1027', {}, locate(origin, [], 'value')), meant: undefined };
  if (typeof kind !== 'string') return undefined;
  if (apiVersion === undefined) {
    if (!OWN.includes(kind)) return undefined;
    const key = nearKey(value, 'apiVersion');
    const found = key === undefined ? 'no apiVersion' : `'${key}' instead of apiVersion`;
    const suggestion = key === undefined ? `apiVersion: ${groupFor(kind)}/v1alpha1` : 'apiVersion';
    return {
      report: () =>
        diagnostic('KR1023', { kind, found, meant: suggestion }, locate(origin, [key ?? 'kind'], 'key')),
      meant: ofGroup(value, groupFor(kind), ''),
    };
  }
  if (!KINDS.includes(kind)) return undefined;
  const [group, wanted] = [groupOf(value), groupFor(kind)];
  const isVersion = typeof apiVersion === 'string' && API_VERSION.test(apiVersion);
  const isOther = !isVersion || group === 'apps' || group === 'v1' || /(?:^|\.)kruise\.io$/.test(group);
  const isClose = editDistance(group.toLowerCase(), wanted, 3) <= 3;
  if (!isClose && !(OWN.includes(kind) && isOther)) return undefined;
  const written = typeof apiVersion === 'string' ? apiVersion : JSON.stringify(apiVersion);
  const version = /\/(v1(?:alpha|beta)1)$/.exec(written)?.[1];
  const suggestion = `${wanted}/${version ?? 'v1alpha1'}`;
  const found = `the apiVersion '${written.slice(0, 80)}'`;
  return {
    report: () =>
      diagnostic('KR1023', { kind, found, meant: suggestion }, locate(origin, ['apiVersion'], 'value')),
    meant: ofGroup(value, wanted, version ?? ''),
  };
}

/**
 * Detects a kind that its group does not have. The kinds of OpenKruise are a closed list, so it is an error even if no kind
 * is similar.
 */
function unknownKind(
  value: JsonObject,
  kind: string,
  known: readonly string[],
  origin: Origin,
  locate: Locator,
): Misspelled | undefined {
  if (known.includes(kind)) return undefined;
  const group = groupOf(value);
  const suggestion = suggest(kind, known);
  const help =
    suggestion !== undefined
      ? `did you mean '${suggestion}'?`
      : POLICY_KINDS.includes(kind)
        ? `write apiVersion: ${POLICY_GROUP}/v1alpha1`
        : `its kinds are ${known.join(', ')}`;
  return {
    report: () => diagnostic('KR1024', { group, kind, help }, locate(origin, ['kind'], 'value')),
    meant: suggestion === undefined ? undefined : { ...value, kind: suggestion },
  };
}

function ofGroup(value: JsonObject, group: string, version: string): JsonObject {
  return { ...value, apiVersion: `${group}/${version}` };
}

/** The group of a kind with this name. */
function groupFor(kind: string): string {
  return REGISTERED.get(kind)?.id.group ?? OPENKRUISE_GROUP;
}

/** The most keys that are checked for misspelling. An object has few fields at its root; a larger map is data. */
const MOST_KEYS = 50;

function nearKey(value: JsonObject, wanted: string): string | undefined {
  return Object.keys(value)
    .slice(0, MOST_KEYS)
    .find((key) => editDistance(key.toLowerCase(), wanted.toLowerCase(), 2) <= 2);
}

/** Whether a text may contain a plan. A substring search is cheap enough for every file. */
export function mayHoldPlan(text: string): boolean {
  return text.includes('RolloutPlan') && text.includes('plan.kruise.io/');
}
