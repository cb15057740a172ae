import type { Clock } from '../../schemas/wire/clock.ts';
import type { ApiError, Status } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { failureOf } from '../../semantics/conditions/failures.ts';
import type { Action } from '../../semantics/decision.ts';
import { influencingKinds } from '../../semantics/kinds/influencing.ts';
import { isPlanned, type RefusedCopy } from '../../semantics/kinds/kind.ts';
import type { ShownRefusals } from '../../semantics/kinds/status-facts.ts';
import type { LastRefused } from '../../semantics/limits/write-batch.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { withoutStop } from '../../semantics/plan/capacity.ts';
import { podIn, refusedText, serverMessageIn } from '../../semantics/plan/refused-text.ts';
import type { RefusedPod } from '../../semantics/plan/rollout-context.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { kindOf, kinds } from '../../semantics/registry/registry.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { exceedsQuota } from '../act/conflict.ts';
import { isAboutOne, revisionOfNew } from '../act/creations.ts';

/** A refused write is retried at least every half minute; a refusal that was not repeated within this time has ended. */
const REFUSED_MS = 120_000;

/** Before the key of refused creates: those of one revision share an entry. It sorts before every name. */
const TO_BE_CREATED = ' ';
/** The key of a restored refusal; it sorts after every name. */
const RESTORED = '~';
/** The turns of so many refused writes are remembered: beyond it, some come too early. */
const MOST_TURNS = 10_000;

/** Permanent refusals of writes to the pods of a target, as long as the writes are wanted. */
export interface Refusals {
  /**
   * Restores the refusal that an earlier process reported in the status of a target. It is valid until a reconcile completes
   * without a refusal, or the server refuses something else.
   */
  restore(target: KubeObject): void;
  /** The refused creates, one for each revision, and then the first pod by name, so that repeated calls return the same ones. */
  all(): RefusedPod[];
  /**
   * When the create or patch of this name, or its deletion that holds nothing up, was last refused, as a number that grows; 0: it was not.
   * The namespace is that which its action names.
   */
  lastRefused: LastRefused;
  /** A reconcile begins to write: a create that is accepted from now on ends the refusals before, of its revision. */
  begin(): void;
  /**
   * The server refused a write. Returns its message. That of a create stays as it was before if it differs in the name of the
   * refused object only, so that the turns of many objects are no changes.
   */
  note(action: Action, error: ApiError): string;
  /** The refused writes of copies. They are not among `all`: a target reports them by namespace. */
  copies(): RefusedCopy[];
  /** The message of the server that refuses pods which only pull images; undefined: it refuses none. */
  pull(): string | undefined;
  /** The server accepted an action. */
  accepted(action: Action): void;
  /** The pods that exist and whose change is refused, by name; those of another namespace with that before it. */
  patched(): ReadonlySet<string>;
  /** Nothing is refused any more. True: that is a change. */
  forget(): boolean;
}

export function createRefusals(clock: Clock): Refusals {
  const refusals = new Map<string, RefusedPod & { at: number; round: number; text: string }>();
  const turns = new Map<string, number>();
  let turn = 0;
  let round = 0;
  /** No refusal was noted since the last `forget`. */
  let isQuiet = true;
  let pull: { message: string; at: number; text: string } | undefined;
  /** By namespace and write. */
  const copies = new Map<string, RefusedCopy & { at: number }>();

  function noteTurn(key: string): void {
    turns.delete(key);
    turns.set(key, ++turn);
    if (turns.size <= MOST_TURNS) return;
    const [oldest] = turns.keys();
    if (oldest !== undefined) turns.delete(oldest);
  }

  return {
    restore(target) {
      const reported = reportedIn(target);
      if (reported === undefined) return;
      refusals.set(RESTORED, { ...reported, at: clock.now(), round, text: '' });
      isQuiet = false;
    },
    all() {
      const now = clock.now();
      const present = [...refusals].filter(([, { at }]) => now < at + REFUSED_MS);
      present.sort(([a], [b]) => (a < b ? -1 : 1));
      const creates = present.filter(([key]) => key.startsWith(TO_BE_CREATED));
      const others = present.filter(([key]) => !key.startsWith(TO_BE_CREATED));
      return [...creates, ...others.slice(0, 1)].map(
        ([, { at: _at, round: _round, text: _text, ...refused }]) => refused,
      );
    },
    patched() {
      const now = clock.now();
      const found = [...refusals].filter(
        ([key, { at, reason }]) => reason === 'FailedUpdate' && key !== RESTORED && now < at + REFUSED_MS,
      );
      return new Set(found.map(([key]) => key));
    },
    lastRefused: (name, namespace) => turns.get(turnKey(name, namespace)) ?? 0,
    begin() {
      round += 1;
    },
    note(action, error) {
      const { status } = error;
      const said = saidOf(action, status);
      const name = objectName(action);
      // A patch takes its turn whatever is wrong: a webhook that does not answer may be that of one namespace.
      if (takesTurns(action) && (action.do === 'patch' || isAboutOne(error)))
        noteTurn(turnKey(name, action.namespace));
      const reason = refusalReason(action, status);
      if (reason === undefined || action.kind === 'ControllerRevision' || isRelease(action)) return said;
      if (action.isCopy === true && action.do !== 'reserve' && action.do !== 'exec') {
        const { do: what, namespace = '' } = action;
        const refused = { what, namespace, message: status.message, at: clock.now() };
        copies.set(copyKey(action), refused);
        isQuiet = false;
        return said;
      }
      const before = createsPull(action) ? pull : refusals.get(nameOf(action));
      const text = said.replaceAll(name, '');
      const message = before?.text === text ? before.message : said;
      if (createsPull(action)) {
        pull = { message, at: clock.now(), text };
        return message;
      }
      const revision = action.do === 'create' ? revisionOfNew(action) : undefined;
      refusals.delete(RESTORED);
      isQuiet = false;
      const refused = { reason, message, revision, at: clock.now(), round, text };
      const [part, pod] = [partOf(action), podOfOthers(action)];
      refusals.set(nameOf(action), {
        ...refused,
        ...(part !== undefined && { part }),
        ...(pod !== undefined && { pod }),
      });
      return message;
    },
    pull: () => (pull !== undefined && clock.now() < pull.at + REFUSED_MS ? pull.message : undefined),
    copies() {
      const now = clock.now();
      return [...copies.values()]
        .filter(({ at }) => now < at + REFUSED_MS)
        .map(({ at: _at, ...refused }) => refused);
    },
    accepted(action) {
      if (action.isCopy === true) {
        copies.delete(copyKey(action));
        return;
      }
      if (createsPull(action)) pull = undefined;
      if (takesTurns(action)) turns.delete(turnKey(objectName(action), action.namespace));
      const name = nameOf(action);
      // One created pod does not mean that the others of this reconcile are accepted, nor does its claim.
      const isEnded = action.kind === 'Pod' && refusals.get(name)?.round !== round;
      if (action.do !== 'create' || isEnded) refusals.delete(name);
    },
    forget() {
      const isNew = !isQuiet;
      refusals.clear();
      copies.clear();
      turns.clear();
      isQuiet = true;
      return isNew;
    },
  };
}

/** What a server says of an action. It names no field of whatever has changed a new pod before. */
function saidOf(action: Action, status: Status): string {
  const shapedBy = action.do === 'create' && !exceedsQuota(status) ? (action.shapedBy ?? []) : [];
  return shapedBy.length === 0
    ? status.message
    : `${withoutStop(status.message)} (the pod was changed by ${shapedBy.join(', ')})`;
}

/** Whether actions like it are tried in turn, so that those which are always refused do not keep others from being tried. */
function takesTurns({ do: what, kind, isAside, isCopy }: Action): boolean {
  if (isCopy === true) return false;
  return what === 'create' || (what === 'patch' && kind !== 'ControllerRevision') || isAside === true;
}

function objectName(action: Action): string {
  return action.do === 'create' ? action.object.metadata.name : action.name;
}

/** Targets that select pods have them in many namespaces. */
function turnKey(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function copyKey({ do: what, namespace = '' }: Action): string {
  return `${namespace} ${what}`;
}

function createsPull(action: Action): boolean {
  return action.do === 'create' && isPullPod(action.object);
}

/**
 * The refusal that a status reports: its reason is that of the condition `Held`. The message of the server is in a condition of the
 * kind, where it has one for that, else in `Held` itself.
 */
function reportedIn(target: KubeObject): RefusedPod | undefined {
  const kind = kindOf(groupKindOf(target));
  const held = trueCondition(target, HELD_CONDITION);
  const reason = REFUSALS.find((each) => each === held?.reason);
  if (kind === undefined || held?.message === undefined || reason === undefined) return undefined;
  const { status } = kind.facts;
  const updated = isPlanned(kind)
    ? kind.facts.status.revisions(objectOf(target['status'])).update
    : undefined;
  const isCreate = reason === 'NoCapacity' || reason === 'FailedCreate';
  const pod = podIn(held.message);
  const refused = {
    reason,
    revision: isCreate ? updated : undefined,
    ...(pod !== undefined && { pod }),
  };
  const children = kind.uses.flatMap((use) => (use.of === 'Children' ? [use.resource.kind] : []));
  const influencing = influencingKinds(kinds).map(({ resource }) => resource.kind);
  const guards = influencing.length === 0 ? [] : [resources.PodDisruptionBudget.kind];
  const parts = ['claim', 'ConfigMap', ...children, ...influencing, ...guards].map((part) => ({
    ...refused,
    part,
  }));
  for (const each of [refused, ...parts]) {
    const message = messageOf(target, status.refusals, held.message, each);
    // Other facts hold a target with the same reason: the message decides.
    if (message !== undefined && refusedText({ ...each, message }) === held.message)
      return { ...each, message };
  }
  return undefined;
}

/** What the server has said of a refusal, if the status may report it. */
function messageOf(
  target: KubeObject,
  shown: ShownRefusals,
  held: string,
  refused: Omit<RefusedPod, 'message'>,
): string | undefined {
  switch (shown.in) {
    case 'conditions':
      return trueCondition(target, shown.types[failureOf[refused.reason]])?.message;
    case 'Held alone': {
      const message = serverMessageIn(held, refused);
      const isQuota = refused.reason !== 'NoCapacity' || exceedsQuota({ code: 403, message: held });
      return isQuota ? message : undefined;
    }
  }
}

const REFUSALS = ['NoCapacity', 'FailedCreate', 'FailedUpdate', 'FailedDelete'] as const;

/** Whether an action lets further containers of a pod start: its refusal is no refusal of a pod. */
function isRelease(action: Action): boolean {
  return action.do === 'create' && action.kind === 'ConfigMap' && action.next?.do !== 'create';
}

function partOf({ kind, resource }: Action): RefusedPod['part'] {
  if (kind === 'Pod') return undefined;
  if (kind === 'Child' || kind === 'Influence') return resource?.kind;
  return kind === 'ConfigMap' ? 'ConfigMap' : 'claim';
}

/** Pods of others may be of any namespace, which their action names. */
function podOfOthers(action: Action): string | undefined {
  if (action.do === 'create' || action.kind !== 'Pod' || action.namespace === undefined) return undefined;
  return `${action.namespace}/${action.name}`;
}

/** The entry of an action. Creates of claims count as creates of their pods. */
function nameOf(action: Action): string {
  if (action.do === 'create') return `${TO_BE_CREATED}${revisionOfNew(action)}`;
  return action.kind === 'Pod' ? (podOfOthers(action) ?? action.name) : `${action.kind}/${action.name}`;
}

/** Codes that are not about the pod: authentication, rate limits, and changes in the meantime. */
const NOT_ABOUT_THE_POD = new Set([401, 404, 408, 409, 410, 429]);

const reasons = {
  create: 'FailedCreate',
  patch: 'FailedUpdate',
  reserve: 'FailedUpdate',
  delete: 'FailedDelete',
  exec: 'FailedUpdate',
} as const satisfies Record<Action['do'], RefusedPod['reason']>;

/** The reason of a permanent refusal; undefined: a retry may succeed. */
function refusalReason(action: Action, status: Status): RefusedPod['reason'] | undefined {
  const { code } = status;
  if (code < 400 || code >= 500 || NOT_ABOUT_THE_POD.has(code)) return undefined;
  return action.do === 'create' && exceedsQuota(status) ? 'NoCapacity' : reasons[action.do];
}
