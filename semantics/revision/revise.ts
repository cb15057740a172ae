import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { controllerReference } from '../owner.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
import { templateHash } from '../template/canonical.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { knownCollisions } from './collisions.ts';
import {
  CLAIM_TEMPLATES_ANNOTATION,
  COMPLETE_ANNOTATION,
  type History,
  type Revision,
  revisionOf,
  stableRevision,
} from './revision.ts';
import { revisionData, revisionHash, revisionName } from './revisions.ts';
import { annotateRevision, patchRevision } from './writes.ts';
import { writtenTemplate } from './written-form.ts';

/** The units of a target, such as pods. */
export interface Units {
  /** Any unit of the target exists, in any state. */
  exist: boolean;
  /** The units that count. `hash`: of the revision that a unit is on; undefined: that revision has no object. */
  counted(): readonly { hash: string | undefined; available: boolean }[];
}

/**
 * The writes of revisions that come before every other decision: there must be a revision of the live template, and a stable
 * revision.
 *
 * - If there is a revision of the template already, it gets the highest number (OpenKruise inplace-update, rule 6.6). Templates
 *   are compared by content, so a revision that OpenKruise created is found whatever its name.
 * - Claim templates are not part of the template: the live revision records the present ones.
 * - Nor are labels that follow the target. Earlier revisions keep theirs.
 * - First contact (no unit, no stable revision): the revision in git is stable (docs/reference/terms.md).
 * - Adoption (units, but no stable revision): the revision named by `status.currentRevision`, else the one with most
 *   available units, else the live one.
 */
export function revise(history: History, units: Units): Action[] {
  const stable = stableRevision(history);
  const live = revisionOf(history, history.liveHash);
  const firstContact = stable === undefined && !units.exist;
  if (live === undefined) return [createRevision(history, firstContact)];

  const last = history.revisions.at(-1);
  if (last !== undefined && live.name !== last.name) {
    return [
      patchRevision(live, 'make newest', { revision: last.number + 1 }, 'its template is the live one again'),
    ];
  }
  const claims = claimTemplatesNote(history, live);
  if (claims !== undefined) {
    const why = 'its claim templates changed';
    return [annotateRevision(live, 'record claim templates', { [CLAIM_TEMPLATES_ANNOTATION]: claims }, why)];
  }
  const labels = changedLabels(history, live);
  if (labels !== undefined)
    return [patchRevision(live, 'relabel', { metadata: { labels } }, 'the target names it anew')];
  if (stable !== undefined) return [];
  const chosen = firstContact ? live : (adopted(history, units) ?? live);
  const why = firstContact
    ? 'no pod was ever created: the revision in git is stable'
    : 'adopts the existing pods';
  return [annotateRevision(chosen, 'mark stable', { [COMPLETE_ANNOTATION]: '1' }, why)];
}

function createRevision(history: History, firstContact: boolean): Action {
  const { target, spec, revisions, form } = history;
  const data = form?.data ?? revisionData(spec.template);
  const taken = new Set([...history.takenNames, ...revisions.map((r) => r.name)]);
  let collisions = knownCollisions(history) ?? 0;
  let shortHash = revisionHash(data, collisions);
  // A name that is taken by other content is a hash collision: the count becomes part of the hash (rule 6.6 step 4).
  while (taken.has(revisionName(target.metadata.name, shortHash))) {
    collisions += 1;
    shortHash = revisionHash(data, collisions);
  }
  const namespace = target.metadata.namespace;
  const claims = claimTemplatesNote(history, undefined);
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(target.metadata.name, shortHash),
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...(form?.labels ?? carriedOver(spec.template, 'labels', 'pod')),
        'controller.kubernetes.io/hash': shortHash,
      },
      annotations: {
        ...form?.annotations,
        ...(firstContact ? { [COMPLETE_ANNOTATION]: '1' } : {}),
        ...(claims === undefined ? {} : { [CLAIM_TEMPLATES_ANNOTATION]: claims }),
      },
      ownerReferences: [controllerReference(target)],
    },
    data: form?.data ?? storedData(history),
    revision: (revisions.at(-1)?.number ?? 0) + 1,
  };
  const reason = firstContact
    ? 'first contact: the revision in git is stable'
    : 'the target has a new template';
  return { do: 'create', kind: 'ControllerRevision', verb: 'create revision', object, reason };
}

/**
 * OpenKruise compares revisions by their bytes: if it takes over again, it recognizes the written form. A template that is
 * another one in that form is stored as it is: a revision that is not found again would be created anew in each reconcile.
 */
function storedData({ spec: { template }, liveHash }: History): JsonObject {
  const written = writtenTemplate(template);
  return revisionData(templateHash(written) === liveHash ? written : template);
}

/** The record of the present claim templates for a revision; undefined: there are none, or they are recorded already. */
function claimTemplatesNote({ spec }: History, before: Revision | undefined): string | undefined {
  const text = canonicalJson(spec.volumeClaimTemplates ?? []);
  return text === canonicalJson(before?.claimTemplates ?? []) ? undefined : text;
}

/** The labels that follow the target and differ on its live revision; undefined: none does. */
function changedLabels({ form }: History, { object }: Revision): Record<string, string> | undefined {
  const changed = Object.entries(form?.following ?? {}).filter(
    ([key, value]) => object.metadata.labels?.[key] !== value,
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function adopted(history: History, units: Units): Revision | undefined {
  const status = (history.target['status'] ?? {}) as JsonObject;
  const named = history.revisions.find((r) => r.name === status['currentRevision']);
  return named ?? mostAvailable(history, units);
}

/** The revision with most available units; of equal ones the older one. */
function mostAvailable(history: History, units: Units): Revision | undefined {
  const available = new Map<string, number>();
  for (const { hash, available: is } of units.counted())
    if (hash !== undefined && is) available.set(hash, (available.get(hash) ?? 0) + 1);
  const age = (hash: string): number => history.revisions.findIndex((r) => r.hash === hash);
  const [best] = [...available].sort((a, b) => b[1] - a[1] || age(a[0]) - age(b[0]));
  return best === undefined ? undefined : revisionOf(history, best[0]);
}
