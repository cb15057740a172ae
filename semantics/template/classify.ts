import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { parseQuantity } from '../values/quantity.ts';
import { truncateUtf8 } from '../values/text.ts';
import { canonicalTemplate } from './canonical.ts';
import type { Segment, TemplateChange } from './changes.ts';
import { pathPattern, pathText, templateChanges } from './changes.ts';
import { comparison, judge } from './effects.ts';
import { type Mode, mostDisruptive } from './mode.ts';
import type { Shape } from './shape.ts';
import { templateShape } from './shape.ts';
import { withStated } from './stated.ts';
import type { UpdateRules } from './update-policy.ts';

/** One difference between two templates and what it does to a pod. */
export interface ClassifiedField {
  /** `template.spec.containers[nginx].image` */
  path: string;
  /** Old and new value, only of images, numbers and quantities, so that no secret is shown. */
  from?: string | number;
  to?: string | number;
  /** Set unless both values are shown. */
  change?: 'added' | 'removed' | 'changed';
  effect: Mode;
  /** Why, as one sentence for users. */
  reason: string;
  /** The rule that this follows from. */
  rule: string;
}

/** The most disruptive effect of a change of the template, and all differences. */
export interface Classification {
  mode: Mode;
  fields: ClassifiedField[];
}

const maxFields = 64;
const maxBytes = 1024;

/**
 * Classifies the change from one pod template to another, both as written in a manifest or a revision (OpenKruise
 * inplace-update, rules 6.1 and 6.2). Equal templates give MetadataOnly and no fields. The result has at most 64 fields,
 * sorted by path; if there are more, the deepest ones are combined under their parent. For InPlaceOnly the result is that of
 * InPlaceIfPossible: the caller refuses what must be recreated.
 */
export function classify(from: JsonObject, to: JsonObject, rules: UpdateRules): Classification {
  const [before, after] = [canonicalTemplate(from), canonicalTemplate(to)];
  const compared = comparison(before, after, rules);
  const stated = withStated({ written: from, canonical: before }, { written: to, canonical: after });
  const entries = templateChanges(...stated).map((change): Entry => {
    const judged = {
      ...judge(change, compared),
      segments: change.segments,
      count: 1,
      ...shownValues(change),
    };
    if (rules.policy !== 'ReCreate' || judged.effect === 'Recreate') return judged;
    return {
      ...judged,
      effect: 'Recreate',
      reason: 'podUpdatePolicy is ReCreate',
      rule: 'OpenKruise workloads, rule 6.5',
    };
  });
  const fields = collapse(entries)
    .map(classified)
    .sort((a, b) => compareCodePoints(a.path, b.path));
  return { mode: mostDisruptive(fields.map(({ effect }) => effect)), fields };
}

interface Entry extends Omit<ClassifiedField, 'path'> {
  segments: readonly Segment[];
  /** How many differences it stands for. */
  count: number;
}

function classified({ segments, count, ...field }: Entry): ClassifiedField {
  const reason = count === 1 ? field.reason : `${count} changes below it, among them: ${field.reason}`;
  return { path: truncateUtf8(pathText(segments), maxBytes), ...field, reason };
}

function shownValues(change: TemplateChange): Pick<ClassifiedField, 'from' | 'to' | 'change'> {
  const pattern = pathPattern(change.segments);
  // If absence means a default value, a field that is set for the first time is changed, not added.
  const implied = defaultAt(change.segments);
  const from = shown(change.from ?? implied, pattern);
  const to = shown(change.to ?? implied, pattern);
  const isOneSided = implied === undefined && (change.kind === 'added' || change.kind === 'removed');
  const kind = isOneSided ? (change.kind as 'added' | 'removed') : 'changed';
  const values = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return from !== undefined && to !== undefined ? values : { ...values, change: kind };
}

function defaultAt(segments: readonly Segment[]): Json | undefined {
  let shape: Shape | undefined = templateShape;
  for (const { name, member } of segments)
    shape = (member ? shape?.items : undefined) ?? shape?.fields.get(name);
  return shape?.default?.value;
}

const images =
  /^spec\.(containers|initContainers|ephemeralContainers)\[\*\]\.image$|^spec\.volumes\[\*\]\.image\.reference$/;
const quantityPaths = /\.(limits|requests)\[\*\]$|^spec\.overhead\[\*\]$|\.sizeLimit$|\.divisor$/;
/** Values that users choose freely may be secret, whatever their type: even a number in an environment variable. */
const freelyFilled =
  /(labels|annotations|userAnnotations|options|volumeAttributes|matchLabels|nodeSelector)\[\*\]|\.(env|httpHeaders|sysctls)\[\*\]\.value$|\.(command|args)/;

function shown(value: Json | undefined, pattern: string): string | number | undefined {
  if (freelyFilled.test(pattern)) return undefined;
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (images.test(pattern)) return truncateUtf8(value, maxBytes);
  return quantityPaths.test(pattern) && parseQuantity(value) !== undefined ? value : undefined;
}

/** Combines the deepest entries under their parents, the largest group first, until there are few enough. */
function collapse(entries: Entry[]): Entry[] {
  let current = entries;
  const deepest = entries.reduce((most, { segments }) => Math.max(most, segments.length), 0);
  for (let depth = deepest; depth > 0 && current.length > maxFields; depth--) {
    let excess = current.length - maxFields;
    current = familiesAt(current, depth).flatMap((family) => {
      if (excess <= 0 || family.length < 2) return family;
      excess -= family.length - 1;
      return [merged(family, depth - 1)];
    });
  }
  return current;
}

function familiesAt(entries: readonly Entry[], depth: number): Entry[][] {
  const families = new Map<string, Entry[]>();
  for (const entry of entries) {
    const path = parentPath(entry.segments, depth);
    const family = families.get(path);
    if (family === undefined) families.set(path, [entry]);
    else family.push(entry);
  }
  return [...families]
    .sort(([pathA, a], [pathB, b]) => b.length - a.length || compareCodePoints(pathA, pathB))
    .map(([, family]) => family);
}

/** The path that an entry of at least this depth has in common with its family; its own path otherwise. */
function parentPath(segments: readonly Segment[], depth: number): string {
  return pathText(segments.length < depth ? segments : segments.slice(0, depth - 1));
}

function merged(family: readonly Entry[], depth: number): Entry {
  const effect = mostDisruptive(family.map((entry) => entry.effect));
  const reason = family.find((entry) => entry.effect === effect);
  const count = family.reduce((sum, entry) => sum + entry.count, 0);
  return {
    segments: family[0]?.segments.slice(0, depth) ?? [],
    count,
    change: 'changed',
    effect,
    reason: reason?.reason ?? '',
    rule: reason?.rule ?? '',
  };
}
