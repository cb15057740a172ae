import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { inSequence } from '../../../semantics/decision.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { catchUp, createModel, type Model } from './model.ts';

export const MINUTE = 60_000;

export const claim = (name: string, storage = '1Gi', more: JsonObject = {}): JsonObject => ({
  metadata: { name, ...more },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});

export const off = { scaleStrategy: { disablePVCReuse: true } };

/** A target whose pods have a claim `data` each, settled. */
export function withClaims(
  parts: { spec?: JsonObject; strategy?: JsonObject; template?: JsonObject } = {},
): Model {
  const model = createModel({
    strategy: { maxUnavailable: 1, ...parts.strategy },
    spec: { replicas: 2, volumeClaimTemplates: [claim('data')], ...parts.spec },
    ...(parts.template === undefined ? {} : { template: parts.template }),
  });
  settle(model);
  return model;
}

/** Decides and executes, with the kubelet, until nothing is left to do; returns what was done to pods and claims. */
export function settle(model: Model): string[] {
  const done: string[] = [];
  for (let i = 0; i < 40; i++) {
    const once = model.run({}, 1);
    done.push(...once.filter((text) => /create|delete|claim|mark/.test(text)));
    model.pods = model.pods.map((pod) =>
      pod.metadata.deletionTimestamp === undefined ? catchUp(pod, model.now) : pod,
    );
    model.now += 1_000;
    if (once.length === 0) return done;
  }
  throw new Error(`does not come to rest: ${done.slice(-5).join(', ')}`);
}

export const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name).sort();
export const idOf = (object: KubeObject | undefined): string =>
  object?.metadata.labels?.['apps.kruise.io/cloneset-instance-id'] ?? '';

export function setSpec(model: Model, spec: JsonObject): void {
  model.target = { ...model.target, spec: { ...(model.target['spec'] as JsonObject), ...spec } };
}

/** Another client deletes the pod: a drain, kubectl, the loss of a node. */
export function lose(model: Model, how: 'gone' | 'terminating' | 'Failed' = 'gone'): Pod {
  const [first, ...rest] = model.pods;
  if (first === undefined) throw new Error('there is no pod');
  if (how === 'gone') model.pods = rest;
  else if (how === 'Failed')
    model.pods = [{ ...first, status: { ...first.status, phase: 'Failed' } }, ...rest];
  else {
    const metadata = { ...first.metadata, deletionTimestamp: timestamp(model.now) };
    model.pods = [{ ...first, metadata }, ...rest];
  }
  return first;
}

/** The server refuses every pod, and no claim, in this many tries, 30 seconds apart. */
export function refusePods(model: Model, tries: number): void {
  for (let i = 0; i < tries; i++) {
    for (const action of model.decide().actions)
      for (const each of inSequence([action])) {
        if (each.do === 'create' && each.kind === 'Pod') continue;
        if (each.do !== 'create') model.apply(each);
        else {
          const { next: _, ...alone } = each;
          model.apply(alone);
        }
      }
    model.now += MINUTE / 2;
  }
}
