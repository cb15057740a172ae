import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { byAge } from '../values/by-age.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';
import { truncateUtf8 } from '../values/text.ts';
import { templateHash } from '../template/canonical.ts';

/** Digits of a revision hash: no vowels, and no two that look alike. */
const alphabet = '456789bcdf';

/**
 * The `data` of a ControllerRevision: the template as in the workload, with the directive by which a strategic merge patch
 * replaces it as a whole. (OpenKruise inplace-update, rule 6.6.)
 */
export function revisionData(template: JsonObject): JsonObject {
  return { spec: { template: { $patch: 'replace', ...template } } };
}

/**
 * The short hash of a revision: FNV-1 (32 bits) over the canonical text of `data` followed by the decimal collision
 * count, its decimal digits written as `456789bcdf`. (OpenKruise inplace-update, rule 6.6.)
 */
export function revisionHash(data: JsonObject, collisionCount = 0): string {
  const bytes = new TextEncoder().encode(`${canonicalJson(data)}${collisionCount}`);
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash, 0x01000193) ^ byte;
  return String(hash >>> 0).replaceAll(/[0-9]/g, (digit) => alphabet[Number(digit)] ?? '');
}

/** `<workload>-<hash>`, with at most 223 bytes of the workload's name. (OpenKruise inplace-update, rule 6.6.) */
export function revisionName(workload: string, hash: string): string {
  return `${truncateUtf8(workload, 223)}-${hash}`;
}

/**
 * The name of the revision that the revision label of a pod stands for: the label is that name, or its hash alone, which has no
 * `-`. Which of the two it is depends on the kind.
 */
export function revisionNamed(label: string, workload: string): string {
  return label.includes('-') ? label : revisionName(workload, label);
}

/** The pod template that a ControllerRevision holds, without the patch directive; empty when it holds none. */
export function templateOf(revision: KubeObject): JsonObject {
  const { spec } = objectOf(revision['data']);
  const { $patch: _, ...rest } = objectOf(objectOf(spec)['template']);
  return rest;
}

/**
 * Whether two revisions hold the same template, by canonical content: the names and labels of revisions of another controller
 * depend on how that one serializes templates.
 */
export function equalRevision(a: KubeObject, b: KubeObject): boolean {
  return templateHash(templateOf(a)) === templateHash(templateOf(b));
}

/** A new list, oldest first: by revision number, then creationTimestamp, then name. (OpenKruise inplace-update, 6.6.) */
export function sortRevisions(revisions: readonly KubeObject[]): KubeObject[] {
  return [...revisions].sort((a, b) => revisionNumber(a) - revisionNumber(b) || byAge(a, b));
}

/** The counter in `revision`; 0 when it is missing. */
export function revisionNumber(revision: KubeObject): number {
  const number = revision['revision'];
  return typeof number === 'number' ? number : 0;
}

/**
 * The revisions to delete so that at most `limit` unused ones remain, oldest first. Revisions in use (current, update, those
 * of pods, stable, retained, goals of a plan) never count and are never deleted. (OpenKruise inplace-update, rule 6.6.)
 */
export function truncatable(
  revisions: readonly KubeObject[],
  liveNames: ReadonlySet<string>,
  limit: number,
): KubeObject[] {
  const unused = sortRevisions(revisions).filter(({ metadata }) => !liveNames.has(metadata.name));
  return unused.slice(0, Math.max(0, unused.length - limit));
}
