import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { TemplateChange } from './changes.ts';
import { pathPattern } from './changes.ts';
import type { Mode } from './mode.ts';
import { amountObstacle, resizeObstacle, restartsFor } from './resize.ts';
import type { UpdateRules } from './update-policy.ts';

/** The effect of one change, the reason, and the rule that it follows from. */
export interface EffectJudgment {
  effect: Mode;
  reason: string;
  rule: string;
}

const qualifies = 'OpenKruise inplace-update, rule 6.1';

/** Why a change below `spec` needs a new pod, for users who approve it. The first row that matches applies. */
const recreates: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /\.(configMap|configMapRef|configMapKeyRef)\.name$|(\.|^)volumes\[\*\]\.configMap$/,
    'another ConfigMap is named (a generated name changes with its content), and a running pod keeps the one it was created with',
  ],
  [
    /\.(secretName|(secret|secretRef|secretKeyRef)\.name)$|(\.|^)volumes\[\*\]\.secret$/,
    'another Secret is named (a generated name changes with its content), and a running pod keeps the one it was created with',
  ],
  [/^spec\.initContainers/, 'init containers run only while a pod starts'],
  [/^spec\.ephemeralContainers/, 'ephemeral containers of a template are not applied to running pods'],
  [
    /^spec\.containers\[\*\]\.env(From)?(\[|$)/,
    'environment variables are given to a container when its pod is created',
  ],
  [
    /^spec\.containers\[\*\]\.(command|args|workingDir)/,
    'the command of a container is fixed when its pod is created',
  ],
  [
    /^spec\.containers\[\*\]\.resizePolicy/,
    'Kubernetes does not let the resize policy of a running container be changed',
  ],
  [/^spec\.containers\[\*\]\.(volumeMounts|volumeDevices)/, 'volumes are mounted when a pod is created'],
  [/^spec\.containers\[\*\]\.ports/, 'ports of a container are fixed when its pod is created'],
  [
    /^spec\.containers\[\*\]\.(liveness|readiness|startup)Probe/,
    'Kubernetes does not let the probes of a running pod be changed',
  ],
  [/^spec\.containers\[\*\]\.lifecycle/, 'Kubernetes does not let the hooks of a running pod be changed'],
  [
    /^spec\.containers\[\*\]\.imagePullPolicy/,
    'Kubernetes does not let the pull policy of a running pod be changed',
  ],
  [/^spec\.(containers\[\*\]\.)?securityContext/, 'the security context is fixed when a pod is created'],
  [/^spec\.containers\[\*\]\./, 'Kubernetes lets only the image of a running container be changed'],
  [/^spec\.volumes/, 'the volumes of a pod are fixed when it is created'],
  [/^spec\.tolerations/, 'OpenKruise changes tolerations only by recreating the pod'],
  [
    /^spec\.(affinity|nodeSelector|nodeName|schedulerName|topologySpreadConstraints|schedulingGates|priority|preemption)/,
    'a pod is placed on its node once, when it is created',
  ],
  [
    /^spec\.(serviceAccount|automountServiceAccountToken)/,
    'a pod gets its service account when it is created',
  ],
  [/^spec\.imagePullSecrets/, 'pull secrets are fixed when a pod is created'],
  [/^spec\.readinessGates/, 'readiness gates are fixed when a pod is created'],
  [
    /^spec\.(dns|host|subdomain|shareProcessNamespace)/,
    'the network and host settings of a pod are fixed when it is created',
  ],
  [
    /^spec\.(terminationGracePeriodSeconds|restartPolicy)/,
    'Kubernetes does not let this be changed on a running pod',
  ],
];

/** Two canonical templates, and what the changes between them may do to a running pod. */
export interface Comparison {
  from: JsonObject;
  to: JsonObject;
  /** Why no container is resized; undefined: they may be. */
  unresized: string | undefined;
}

/** Compares two canonical templates under these rules. */
export function comparison(
  from: JsonObject,
  to: JsonObject,
  rules: Pick<UpdateRules, 'resizes'>,
): Comparison {
  return { from, to, unresized: resizeObstacle(from, to, rules) };
}

/**
 * The effect on a pod of one change between two templates, with InPlaceIfPossible. No node daemon restarts containers whose
 * environment refers to a changed label or annotation: the pod is recreated.
 */
export function judge(change: TemplateChange, compared: Comparison): EffectJudgment {
  const pattern = pathPattern(change.segments);
  if (pattern.startsWith('metadata')) return judgeMetadata(change, pattern, compared.to);
  return pattern.startsWith('spec.containers[*].resources')
    ? judgeResources(change, pattern, compared)
    : judgeSpec(change, pattern);
}

function judgeMetadata(change: TemplateChange, pattern: string, to: JsonObject): EffectJudgment {
  const what = /^metadata\.(labels|annotations|finalizers)(\[|$)/.exec(pattern)?.[1];
  if (what === undefined) {
    return {
      effect: 'MetadataOnly',
      reason: 'Kubernetes takes nothing of this field into a pod',
      rule: qualifies,
    };
  }
  const reader =
    what === 'finalizers' ? undefined : containerReading(to, what, change.segments.at(-1)?.name ?? '');
  if (reader !== undefined) {
    return {
      effect: 'Recreate',
      reason: `the environment of container "${reader}" reads it, and a running container keeps the value it started with`,
      rule: 'OpenKruise inplace-update, rule 6.2 (environment from metadata needs its node daemon)',
    };
  }
  return { effect: 'MetadataOnly', reason: `${what} of a running pod can be changed`, rule: qualifies };
}

/** Name of the first normal container whose environment refers to `metadata.<what>['<key>']`; undefined: there is none. */
function containerReading(template: JsonObject, what: string, key: string): string | undefined {
  const fieldPath = `metadata.${what}['${key}']`;
  for (const container of objectsIn(objectIn(template, 'spec'), 'containers')) {
    for (const variable of objectsIn(container, 'env')) {
      if (objectIn(objectIn(variable, 'valueFrom'), 'fieldRef')['fieldPath'] === fieldPath) {
        return typeof container['name'] === 'string' ? container['name'] : '';
      }
    }
  }
  return undefined;
}

function judgeSpec(change: TemplateChange, pattern: string): EffectJudgment {
  if (pattern === 'spec.containers[*].image' && change.kind === 'changed') {
    return change.moved
      ? {
          effect: 'Recreate',
          reason: 'the other template has no container of this name in the same place',
          rule: qualifies,
        }
      : {
          effect: 'InPlace',
          reason: 'Kubernetes lets the image of a running container be changed',
          rule: qualifies,
        };
  }
  return { effect: 'Recreate', reason: recreateReason(change, pattern), rule: qualifies };
}

function judgeResources(
  change: TemplateChange,
  pattern: string,
  { from, to, unresized }: Comparison,
): EffectJudgment {
  const name = change.segments[2]?.name ?? '';
  const [list = '', resource = ''] = change.segments.slice(4).map((segment) => segment.name);
  const [before, after] = [containerNamed(from, name), containerNamed(to, name)];
  const obstacle =
    unresized ??
    (change.moved
      ? 'the other template has no container of this name in the same place'
      : pattern === `spec.containers[*].resources.${list}[*]`
        ? amountObstacle(before, after, list, resource)
        : 'of the resources of a running container, only cpu and memory can be changed');
  if (obstacle !== undefined) return { effect: 'Recreate', reason: obstacle, rule: qualifies };
  const restarts = (resource === 'cpu' || resource === 'memory') && restartsFor(after, resource);
  return {
    effect: 'InPlace',
    reason: restarts
      ? 'the container is resized, and its resizePolicy restarts it'
      : 'the container is resized while it runs',
    rule: qualifies,
  };
}

function containerNamed(template: JsonObject, name: string): JsonObject {
  return objectsIn(objectIn(template, 'spec'), 'containers').find((each) => each['name'] === name) ?? {};
}

function recreateReason(change: TemplateChange, pattern: string): string {
  if (change.kind === 'reordered')
    return 'the order is another, and a running pod keeps the order it was created with';
  if (pattern === 'spec.containers[*]') {
    return change.kind === 'renamed'
      ? 'a container of a running pod cannot be given another name'
      : `a container cannot be ${change.kind} in a running pod`;
  }
  const row = recreates.find(([rows]) => rows.test(pattern));
  return row?.[1] ?? 'Kubernetes does not let this field of a running pod be changed';
}

function objectIn(value: JsonObject, key: string): JsonObject {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(member) ? member : {};
}

function objectsIn(value: JsonObject, key: string): JsonObject[] {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(member) ? member.filter(isObject) : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
