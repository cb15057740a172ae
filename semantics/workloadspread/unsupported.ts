import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UnsupportedField } from '../fields/problems.ts';
import { groupKindOf } from '../owner.ts';
import { MIRROR_ANNOTATION } from '../pod/mirror.ts';
import { intOrPercentOf, listOf, objectOf, textOf } from '../values/read.ts';
import { changesLabels } from './inject.ts';
import { normalizeSpread } from './normalize.ts';
import { BY_ANNOTATION, isCustomKind, SPREAD, WEBHOOK } from './resource.ts';

/**
 * A target whose pods nothing here places: of a kind that is not known, pods that wait with a gate and are to become other than a server
 * lets a pod become that exists, or what depends on a workload that is not read.
 */
export function unsupportedSpread(object: KubeObject): UnsupportedField[] {
  const { targetRef, subsets } = objectOf(object['spec']);
  const { apiVersion, kind } = objectOf(targetRef);
  const target = groupKindOf({ apiVersion: textOf(apiVersion), kind: textOf(kind) });
  const all = listOf(subsets);
  if (SPREAD.some((each) => each.group === target.group && each.kind === target.kind))
    return normalizeSpread(object).way === 'gate' ? all.flatMap(beyondGate(target.kind)) : [];
  if (isCustomKind(target) && object.metadata.annotations?.[BY_ANNOTATION] === WEBHOOK)
    return all.flatMap(unread(target.kind));
  const how = isCustomKind(target) ? ` without the annotation ${BY_ANNOTATION}: ${WEBHOOK}` : '';
  return [{ path: ['spec', 'targetRef', 'kind'], what: `spreading the pods of a ${target.kind}${how}` }];
}

type InSubset = (subset: JsonObject, index: number) => UnsupportedField[];

/** What no pod becomes that waits. */
function beyondGate(kind: string): InSubset {
  return ({ patch }, index) => {
    const at = (path: readonly string[], field: string): UnsupportedField => ({
      path: ['spec', 'subsets', String(index), 'patch', ...path],
      what: `a patch of ${field} of pods of a ${kind}`,
    });
    const annotations = objectOf(objectOf(objectOf(patch)['metadata'])['annotations']);
    return [
      ...(objectOf(patch)['spec'] === undefined ? [] : [at(['spec'], 'the spec')]),
      ...Object.keys(annotations)
        .filter(isFixedAnnotation)
        .map((key) => at(['metadata', 'annotations', key], `the annotation ${key}`)),
    ];
  };
}

/** What depends on the size of a workload, or on what it selects, that no process has the right to read. */
function unread(kind: string): InSubset {
  return ({ maxReplicas, patch }, index) => {
    const path = ['spec', 'subsets', String(index)];
    const isPercent = typeof intOrPercentOf(maxReplicas) === 'string';
    return [
      ...(isPercent
        ? [{ path: [...path, 'maxReplicas'], what: `a percentage of the size of a ${kind}` }]
        : []),
      ...(changesLabels(objectOf(patch))
        ? [
            {
              path: [...path, 'patch', 'metadata', 'labels'],
              what: `a patch of labels of pods of a ${kind}, which may select by them`,
            },
          ]
        : []),
    ];
  };
}

/** Whether a server lets no pod get this annotation that exists: one that waits would wait for ever. */
function isFixedAnnotation(key: string): boolean {
  return key === MIRROR_ANNOTATION || key.startsWith('container.apparmor.security.beta.kubernetes.io/');
}
