import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { controllerReference } from '../owner.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
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

/** What a target consists of, whatever it is: pods, slots, nodes. */
export interface Units {
  /** Anything that was made for the target is still there, whatever its state. */
  exist: boolean;
  /** Those that count. `hash`: of the revision it is on; undefined: on one that left no object. */
  counted(): readonly { hash: string | undefined; available: boolean }[];
}

/**
 * What must be on record before anything else is decided: a revision for the live template, and which revision is the
 * stable one.
 *
 * - A template seen before re-uses its object with the highest number (OpenKruise inplace-update, rule 6.6); equal means
 *   equal in content, so what OpenKruise itself left is found whatever its name.
 * - The claim templates are no part of the template: the live revision notes those that are beside it now.
 * - First contact (no unit, no stable revision): stable is what git says (plan, section 4).
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
  if (stable !== undefined) return [];
  const chosen = firstContact ? live : (adopted(history, units) ?? live);
  const why = firstContact
    ? 'no pod was ever created: the revision in git is stable'
    : 'adopts the existing pods';
  return [annotateRevision(chosen, 'mark stable', { [COMPLETE_ANNOTATION]: '1' }, why)];
}

function createRevision(history: History, firstContact: boolean): Action {
  const { target, spec, revisions } = history;
  const data = revisionData(spec.template);
  const taken = new Set([...history.takenNames, ...revisions.map((r) => r.name)]);
  let collisions = knownCollisions(history) ?? 0;
  let shortHash = revisionHash(data, collisions);
  // A name taken by other content is a collision of 32 bits: count it into the hash and try again (rule 6.6 step 4).
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
      labels: { ...carriedOver(spec.template, 'labels', 'pod'), 'controller.kubernetes.io/hash': shortHash },
      annotations: {
        ...(firstContact ? { [COMPLETE_ANNOTATION]: '1' } : {}),
        ...(claims === undefined ? {} : { [CLAIM_TEMPLATES_ANNOTATION]: claims }),
      },
      ownerReferences: [controllerReference(target)],
    },
    // So that a manager of OpenKruise that comes back finds its own: it knows a revision by the bytes of its template.
    data: revisionData(writtenTemplate(spec.template)),
    revision: (revisions.at(-1)?.number ?? 0) + 1,
  };
  const reason = firstContact
    ? 'first contact: the revision in git is stable'
    : 'the target has a new template';
  return { do: 'create', kind: 'ControllerRevision', verb: 'record revision', object, reason };
}

/** What a revision notes of the claim templates beside it; undefined: there is nothing to note, or nothing new. */
function claimTemplatesNote({ spec }: History, before: Revision | undefined): string | undefined {
  const text = canonicalJson(spec.volumeClaimTemplates ?? []);
  return text === canonicalJson(before?.claimTemplates ?? []) ? undefined : text;
}

function adopted(history: History, units: Units): Revision | undefined {
  const status = (history.target['status'] ?? {}) as JsonObject;
  const named = history.revisions.find((r) => r.name === status['currentRevision']);
  return named ?? mostAvailable(history, units);
}

/** The revision with most available units; of equal ones the older one, which has been trusted longer. */
function mostAvailable(history: History, units: Units): Revision | undefined {
  const available = new Map<string, number>();
  for (const { hash, available: is } of units.counted())
    if (hash !== undefined && is) available.set(hash, (available.get(hash) ?? 0) + 1);
  const age = (hash: string): number => history.revisions.findIndex((r) => r.hash === hash);
  const [best] = [...available].sort((a, b) => b[1] - a[1] || age(a[0]) - age(b[0]));
  return best === undefined ? undefined : revisionOf(history, best[0]);
}
