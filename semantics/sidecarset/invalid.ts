import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { invalidLaunchVariables } from '../launch/invalid.ts';
import { isOfControllers } from '../pod/reserved-keys.ts';
import { isObject, objectsIn } from '../values/json-shape.ts';
import { listOf, objectOf } from '../values/read.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../values/selector.ts';
import { invalidPriorities } from '../workload/invalid-priorities.ts';
import { invalidTargetMetadata } from '../workload/invalid.ts';
import { invalidSidecars } from './invalid-sidecars.ts';
import { normalizeSidecarSet, plainContainer } from './normalize.ts';
import { invalidPin } from './pinned.ts';
import { BASE_ANNOTATION } from './resource.ts';

/** The name is the value of a label of revisions. */
const MAX_NAME_LENGTH = 63;

/**
 * Errors in a SidecarSet that its schema cannot express: what OpenKruise's admission refuses (OpenKruise sidecarset, section
 * 7.2), and what it accepts although no pod could be created with it. What its containers lack as containers of a pod is not
 * among them: see `podOfSet`.
 */
export function invalidSidecarSet(target: KubeObject): InvalidField[] {
  const spec = objectOf(target['spec']);
  return [
    ...nameFaults(target.metadata.name),
    ...invalidTargetMetadata(target),
    ...canaryFaults(target),
    ...selectorFaults(spec['selector'], ['spec', 'selector']),
    ...(spec['namespaceSelector'] === undefined
      ? []
      : selectorFaults(spec['namespaceSelector'], ['spec', 'namespaceSelector'])),
    ...updateFaults(objectOf(spec['updateStrategy'])),
    ...nativeFaults(target),
    ...invalidPin(target),
    ...invalidSidecars(spec),
    ...launchFaults(listOf(spec['containers'])),
    ...metadataFaults(listOf(spec['patchPodMetadata'])),
  ];
}

/**
 * The template of a pod that has the containers and volumes of a set, at the same paths as in the set: the API server would
 * refuse a pod for the same reasons. Where the set has no container, there is one that stands for those of the pod.
 */
export function podOfSet(target: KubeObject): JsonObject {
  const spec = objectOf(target['spec']);
  const lists: JsonObject = {};
  for (const list of ['initContainers', 'containers'])
    if (Array.isArray(spec[list]))
      lists[list] = spec[list].map((each): Json => (isObject(each) ? plainContainer(objectOf(each)) : each));
  const { containers } = lists;
  const own = Array.isArray(containers) && containers.length > 0 ? containers : [APP_CONTAINER];
  const { volumes, imagePullSecrets } = spec;
  return {
    spec: {
      ...lists,
      containers: own,
      ...(volumes !== undefined && { volumes }),
      ...(imagePullSecrets !== undefined && { imagePullSecrets }),
    },
  };
}

const APP_CONTAINER: JsonObject = { name: 'container-of-the-pod', image: 'any:1' };

/**
 * Errors in a change of a set: what the rules of an update need the old object for (OpenKruise sidecarset, section 7.2, rules
 * 2 and 9). A new container is none: new pods get it.
 */
export function invalidSetChange(before: KubeObject, after: KubeObject): InvalidField[] {
  const upgraded = new Map(
    listOf(objectOf(before['spec'])['containers']).map((each) => [each['name'], upgradeTypeOf(each)]),
  );
  const changed = listOf(objectOf(after['spec'])['containers']).flatMap((each, index): InvalidField[] => {
    const was = upgraded.get(each['name']);
    if (was === undefined || was === upgradeTypeOf(each)) return [];
    return [
      {
        path: ['spec', 'containers', String(index), 'upgradeStrategy', 'upgradeType'],
        rule: `must stay ${was}: pods that have the set have the containers of that type`,
        help: 'replace the container with one of another name',
      },
    ];
  });
  const bases = [before, after].map((each) => normalizeSidecarSet(each).base);
  if (bases[1] !== undefined && bases[0] !== bases[1])
    changed.push({
      path: ['metadata', 'annotations', BASE_ANNOTATION],
      rule: 'must not change',
      help: 'create another set for another base',
    });
  return changed;
}

function upgradeTypeOf(sidecar: JsonObject): string {
  return objectOf(sidecar['upgradeStrategy'])['upgradeType'] === 'HotUpgrade' ? 'HotUpgrade' : 'ColdUpgrade';
}

function nameFaults(name: string): InvalidField[] {
  const path = ['metadata', 'name'];
  if (!/^[a-zA-Z0-9-]+$/.test(name))
    return [
      {
        path,
        rule: 'must have no other characters than letters, digits and -',
        help: 'rename the set; its name becomes part of names and labels, and OpenKruise refuses dots',
      },
    ];
  return name.length > MAX_NAME_LENGTH
    ? [
        {
          path,
          rule: `must have at most ${MAX_NAME_LENGTH} characters: it is the value of a label of its revisions`,
          help: 'choose a shorter name',
        },
      ]
    : [];
}

/** By a priority that is no number, the webhook would refuse every pod that gets the container. */
function launchFaults(containers: readonly JsonObject[]): InvalidField[] {
  return invalidLaunchVariables(containers, ['spec', 'containers'], { isOrdered: false }).map((fault) => ({
    ...fault,
    help: "remove the variable, or write a priority such as '10'",
  }));
}

function canaryFaults(target: KubeObject): InvalidField[] {
  const { base, isRolling, name } = normalizeSidecarSet(target);
  if (base === undefined) return [];
  if (base === name)
    return [
      {
        path: ['metadata', 'annotations', BASE_ANNOTATION],
        rule: 'must not name the set itself',
        help: 'name the set whose place the canary takes',
      },
    ];
  return isRolling
    ? [
        {
          path: ['spec', 'updateStrategy', 'type'],
          rule: 'must be NotUpdate: the set is a canary, which is for new pods only',
          help: `write type: NotUpdate, or remove the annotation ${BASE_ANNOTATION}`,
        },
      ]
    : [];
}

function selectorFaults(value: unknown, path: string[]): InvalidField[] {
  const selector: LabelSelector = objectOf(value);
  const problems = validateSelector(selector);
  if (problems.length > 0)
    return problems.map((one) => ({ path: [...path, ...one.path], rule: one.message }));
  return formatSelector(selector) === ''
    ? [{ path, rule: 'must not be empty', help: 'add matchLabels or matchExpressions' }]
    : [];
}

function updateFaults(update: JsonObject): InvalidField[] {
  const path = ['spec', 'updateStrategy'];
  const { selector, partition } = update;
  const found = invalidPriorities(objectOf(update['priorityStrategy'])).map((each) => ({
    ...each,
    path: [...path, ...each.path],
  }));
  if (isObject(selector)) {
    found.push(...selectorFaults(selector, [...path, 'selector']));
    // Any text is a set partition, even 0%.
    if (typeof partition === 'string' || (typeof partition === 'number' && partition !== 0))
      found.push({
        path: [...path, 'partition'],
        rule: 'must not be set together with spec.updateStrategy.selector',
        help: 'leave one of the two out',
      });
  }
  const seen = new Set<string>();
  for (const [index, { key, value }] of objectsIn(update['scatterStrategy']).entries()) {
    const term = JSON.stringify([key, value]);
    if (seen.has(term))
      found.push({
        path: [...path, 'scatterStrategy', String(index)],
        rule: 'must not repeat an earlier term',
        help: 'remove one of the two',
      });
    seen.add(term);
  }
  return found;
}

/** No running pod could get another image of it (rule 7.2.3). */
function nativeFaults(target: KubeObject): InvalidField[] {
  const { initContainers, isRolling } = normalizeSidecarSet(target);
  if (!isRolling || !initContainers.some(({ isNative }) => isNative)) return [];
  return [
    {
      path: ['spec', 'updateStrategy', 'type'],
      rule: 'must be NotUpdate: no running pod gets another image of an init container with restartPolicy Always',
      help: 'write type: NotUpdate, or make it a container',
    },
  ];
}

function metadataFaults(patches: readonly JsonObject[]): InvalidField[] {
  const seen = new Set<string>();
  return patches.flatMap(({ annotations, patchPolicy }, index): InvalidField[] => {
    const path = ['spec', 'patchPodMetadata', String(index)];
    const keys = Object.keys(objectOf(annotations));
    if (keys.length === 0)
      return [
        {
          path: [...path, 'annotations'],
          rule: 'must not be empty',
          help: 'add an annotation, or remove the entry',
        },
      ];
    return keys.flatMap((key): InvalidField[] => {
      const at = [...path, 'annotations', key];
      const isRepeated = seen.has(key);
      seen.add(key);
      if (isRepeated)
        return [
          { path: at, rule: 'must not repeat a key of an earlier entry', help: 'remove one of the two' },
        ];
      if (isOfControllers(key))
        return [{ path: at, rule: 'must not be set: only controllers write that key', help: 'remove it' }];
      return patchPolicy === 'MergePatchJson' && !isJsonText(objectOf(annotations)[key])
        ? [
            {
              path: at,
              rule: 'must be JSON: the patchPolicy is MergePatchJson',
              help: 'write a JSON object, or choose another patchPolicy',
            },
          ]
        : [];
    });
  });
}

function isJsonText(value: unknown): boolean {
  try {
    JSON.parse(String(value));
    return true;
  } catch {
    return false;
  }
}
