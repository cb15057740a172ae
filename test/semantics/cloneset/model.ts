import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Condition, KubeObject } from '../../../schemas/wire/object.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { type Action, type Decision, inSequence } from '../../../semantics/decision.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { type NodeLabels, noNodes } from '../../../semantics/pod/nodes.ts';
import { condition, isAvailable } from '../../../semantics/pod/readiness.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { IN_PLACE_READY, type Pod, REVISION_LABEL } from '../../../semantics/pod/types.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import type { RolloutSnapshot } from '../../../semantics/kinds/kind.ts';

export const NOON = Date.UTC(2026, 0, 1, 12);

/** A CloneSet, its revisions and its pods as rows that actions are applied to: no API server, no kubelet, no clock. */
export interface Model {
  target: KubeObject;
  revisions: KubeObject[];
  pods: Pod[];
  nodes: NodeLabels;
  claims: KubeObject[];
  now: number;
  /** Whether the server serves `pods/resize`. */
  canResize: boolean;
  /** Uids of pods that another target is about to write. */
  reserved: ReadonlySet<string>;
  /** Hash of each template that was live, by its image. */
  goal(): string;
  snapshot(): RolloutSnapshot;
  /** Records revisions, then decides; the actions are not applied. */
  decide(envelope?: Partial<Envelope>): Decision<object>;
  apply(action: Action): void;
  /** Decides and applies, until nothing is left to do or `passes` are over; returns what was done. */
  run(envelope?: Partial<Envelope>, passes?: number): string[];
  setTemplate(template: JsonObject): void;
  available(pod: Pod): boolean;
}

export function template(image = 'web:1', more: JsonObject = {}): JsonObject {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image, ...more }] } };
}

/** An envelope that allows everything, with overrides. */
export function wholeEnvelope(parts: Pick<Envelope, 'goal' | 'stable'> & Partial<Envelope>): Envelope {
  return {
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    mode: 'Recreate',
    reason: 'a test',
    ...parts,
  };
}

interface Parts {
  spec?: JsonObject;
  strategy?: JsonObject;
  template?: JsonObject;
  status?: JsonObject;
}

export function createModel(parts: Parts = {}): Model {
  let version = 100;
  let uids = 0;
  const target: KubeObject = {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', generation: 1, resourceVersion: '1' },
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: 'web' } },
      template: parts.template ?? template(),
      updateStrategy: { type: 'InPlaceIfPossible', maxUnavailable: 2, ...parts.strategy },
      ...parts.spec,
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
  const self: Model = {
    target,
    revisions: [],
    pods: [],
    nodes: noNodes,
    claims: [],
    now: NOON,
    canResize: true,
    reserved: new Set(),
    goal: () => templateHash((self.target['spec'] as { template: JsonObject }).template),
    snapshot() {
      const { target: seen, pods, revisions, nodes, claims, canResize, reserved, now } = self;
      return cloneSetKind.observe({
        target: seen,
        pods,
        revisions,
        takenNames: new Set(),
        nodes,
        claims,
        canResize,
        reserved,
        now,
      });
    },
    decide(envelope = {}) {
      for (let i = 0; i < 5; i++) {
        const revise = self.snapshot().revise();
        if (revise.length === 0) break;
        for (const action of revise) self.apply(action);
      }
      const look = self.snapshot();
      const { stable, liveHash } = look.rollout;
      const whole = wholeEnvelope({ goal: liveHash, stable, ...envelope });
      return look.decide(whole, undefined, new Set([stable, liveHash, whole.goal]));
    },
    apply(action) {
      if (action.do === 'create') {
        const uid = `uid-${++uids}`;
        const object = structuredClone(action.object);
        object.metadata.uid = uid;
        object.metadata.resourceVersion = String(++version);
        object.metadata.creationTimestamp = timestamp(self.now);
        if (action.kind === 'ControllerRevision') self.revisions.push(object);
        else if (action.kind === 'PersistentVolumeClaim') self.claims = [...self.claims, object];
        else if (action.kind === 'Pod')
          self.pods = [...self.pods, { ...object, status: { phase: 'Pending' } } as unknown as Pod];
        if (action.next !== undefined) self.apply(action.next);
        return;
      }
      if (action.do === 'delete') {
        if (action.kind === 'Pod') self.pods = self.pods.filter((pod) => pod.metadata.name !== action.name);
        self.claims = self.claims.filter((claim) => claim.metadata.name !== action.name);
        self.revisions = self.revisions.filter((r) => r.metadata.name !== action.name);
        return;
      }
      if (action.do === 'reserve') throw new Error('nothing influences it');
      if (action.do === 'exec') throw new Error('it runs no command');
      const patched = <Kind extends KubeObject>(object: Kind): Kind => {
        if (object.metadata.name !== action.name) return object;
        expectGuard(object, action.body);
        const next = merge(object as unknown as JsonObject, action.body) as unknown as Kind;
        next.metadata.resourceVersion = String(++version);
        return next;
      };
      if (action.kind === 'Pod') self.pods = self.pods.map(patched);
      else if (action.kind === 'PersistentVolumeClaim') self.claims = self.claims.map(patched);
      else self.revisions = self.revisions.map(patched);
      if (action.next?.do !== 'patch') return;
      const metadata = { ...(action.next.body['metadata'] as JsonObject), resourceVersion: String(version) };
      self.apply({ ...action.next, body: { ...action.next.body, metadata } });
    },
    run(envelope, passes = 50) {
      const done: string[] = [];
      for (let i = 0; i < passes; i++) {
        const { actions } = self.decide(envelope);
        if (actions.length === 0) return done;
        done.push(...inSequence(actions).map(actionText));
        for (const action of actions) self.apply(action);
      }
      return done;
    },
    setTemplate(next) {
      self.target = { ...self.target, spec: { ...(self.target['spec'] as JsonObject), template: next } };
    },
    available: (pod) =>
      isAvailable(
        pod,
        ((self.target['spec'] as JsonObject)['minReadySeconds'] as number | undefined) ?? 0,
        self.now,
      ),
  };
  return self;
}

/** `drain web-abcde`; a create has the image. */
export function actionText(action: Action): string {
  if (action.do !== 'create') return `${action.verb} ${action.name}`;
  if (action.kind !== 'Pod') return `${action.verb} ${action.object.metadata.name}`;
  const { containers } = action.object['spec'] as Pod['spec'];
  return `create ${action.object.metadata.name} ${containers[0]?.image ?? ''}`;
}

export function imageOf(pod: Pod): string {
  return pod.spec.containers[0]?.image ?? '';
}

/** The kubelet has processed the pod's spec: it runs, restarted if an image changed, and is ready if its gates are. */
export function catchUp(pod: Pod, now: number): Pod {
  const before = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]));
  const containerStatuses = pod.spec.containers.map(({ name, image }) => {
    const old = before.get(name);
    const restarted = old !== undefined && old.image !== image;
    const restartCount = (old?.restartCount ?? 0) + (restarted ? 1 : 0);
    return { name, image, imageID: `${image}@sha256`, ready: true, restartCount };
  });
  const conditions = (pod.status?.conditions ?? []).filter(
    (c) => c.type !== 'Ready' && c.type !== 'ContainersReady',
  );
  const running: Pod = {
    ...pod,
    spec: { ...pod.spec, nodeName: pod.spec.nodeName ?? 'node-1' },
    status: {
      ...pod.status,
      phase: 'Running',
      containerStatuses,
      conditions: [...conditions, { type: 'ContainersReady', status: 'True' }],
    },
  };
  const gates = running.spec.readinessGates ?? [];
  const ready = gates.every((gate) => condition(running, gate.conditionType)?.status === 'True');
  const old = condition(pod, 'Ready');
  const status = ready ? 'True' : 'False';
  const since = old?.status === status ? old.lastTransitionTime : timestamp(now);
  return withCondition(running, {
    type: 'Ready',
    status,
    ...(since === undefined ? {} : { lastTransitionTime: since }),
  });
}

export function withCondition(pod: Pod, next: Condition): Pod {
  const conditions = (pod.status?.conditions ?? []).filter((c) => c.type !== next.type);
  return { ...pod, status: { ...pod.status, conditions: [...conditions, next] } };
}

/** The pod's own container is not ready any more. */
export function broken(pod: Pod, now: number): Pod {
  const unready = withCondition(pod, { type: 'ContainersReady', status: 'False' });
  return withCondition(unready, { type: 'Ready', status: 'False', lastTransitionTime: timestamp(now) });
}

/** An available pod of a revision; `parts` are merged into it. */
export function runningPod(model: Model, image: string, name: string, parts: JsonObject = {}): Pod {
  const revision = model.revisions.find((r) => templateImage(r) === image);
  if (revision === undefined) throw new Error(`no revision of ${image}`);
  const short = revision.metadata.name.slice('web-'.length);
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '7',
      creationTimestamp: timestamp(NOON - 3_600_000),
      labels: {
        app: 'web',
        [REVISION_LABEL]: revision.metadata.name,
        'pod-template-hash': short,
        'lifecycle.apps.kruise.io/state': 'Normal',
      },
      ownerReferences: [
        {
          apiVersion: model.target.apiVersion,
          kind: 'CloneSet',
          name: 'web',
          uid: 'uid-web',
          controller: true,
        },
      ],
    },
    spec: {
      nodeName: `node-${name}`,
      containers: [{ name: 'main', image, imagePullPolicy: 'Always' }],
      readinessGates: [{ conditionType: IN_PLACE_READY }],
    },
    status: {
      phase: 'Running',
      conditions: [
        { type: IN_PLACE_READY, status: 'True' },
        { type: 'ContainersReady', status: 'True' },
        { type: 'Ready', status: 'True', lastTransitionTime: timestamp(NOON - 3_500_000) },
      ],
      containerStatuses: [{ name: 'main', image, imageID: `${image}@sha256`, ready: true, restartCount: 0 }],
    },
  };
  return merge(pod as unknown as JsonObject, parts) as unknown as Pod;
}

/** A model that has been on each of these images, the last one live; `stable`: the one that was complete. */
export function historyOf(images: readonly string[], parts: Parts & { stable?: string } = {}): Model {
  const model = createModel({ ...parts, template: template(images[0]) });
  for (const image of images) {
    model.setTemplate(template(image));
    model.decide();
  }
  const { stable } = parts;
  if (stable !== undefined) {
    for (const action of model.snapshot().complete(templateHash(template(stable)), undefined))
      model.apply(action);
  }
  return model;
}

function templateImage(revision: KubeObject): string {
  const data = revision['data'] as { spec: { template: { spec: Pod['spec'] } } };
  return data.spec.template.spec.containers[0]?.image ?? '';
}

function expectGuard(object: KubeObject, body: JsonObject): void {
  const { uid, resourceVersion } = body['metadata'] as JsonObject;
  const isBound = resourceVersion === object.metadata.resourceVersion || opensFirst(object, body);
  if (uid !== object.metadata.uid || !isBound)
    throw new Error(`a write to ${object.metadata.name} that is not guarded by what was seen`);
}

/** Conditions that the object does not have, and nothing else. */
function opensFirst(object: KubeObject, { metadata, status, ...rest }: JsonObject): boolean {
  const typesIn = (value: unknown): string[] =>
    ((value as { conditions?: { type: string }[] } | undefined)?.conditions ?? []).map(({ type }) => type);
  const there = typesIn(object['status']);
  const isAlone = Object.keys(rest).length === 0 && Object.keys(metadata as JsonObject).join() === 'uid';
  return isAlone && typesIn(status).every((type) => !there.includes(type));
}

/** Merge as the API server does it for the lists that actions touch: by name or type; null removes a key. */
function merge(into: JsonObject, patch: JsonObject): JsonObject {
  const out: JsonObject = structuredClone(into);
  for (const [key, value] of Object.entries(patch)) {
    const before = out[key];
    if (value === null) delete out[key];
    else if (Array.isArray(value) && (key === 'conditions' || key === 'containers'))
      out[key] = mergeList(
        (before ?? []) as JsonObject[],
        value as JsonObject[],
        key === 'conditions' ? 'type' : 'name',
      );
    else if (isObject(value)) out[key] = merge(isObject(before) ? before : {}, value);
    else out[key] = value;
  }
  return out;
}

function mergeList(before: JsonObject[], patch: JsonObject[], by: string): JsonObject[] {
  const out = before.map((item) => {
    const change = patch.find((p) => p[by] === item[by]);
    return change === undefined ? item : merge(item, change);
  });
  return [
    ...out,
    ...patch.filter((p) => !before.some((item) => item[by] === p[by])).map((p) => merge({}, p)),
  ];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
