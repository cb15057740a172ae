import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../kinds/fields.ts';
import { type Made, reservedKeys } from '../pod/reserved-keys.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../values/selector.ts';
import { labelsOf, selectorMismatch } from '../values/selector-mismatch.ts';
import type { WorkloadSpec } from './view.ts';

/**
 * What OpenKruise's admission refuses of a workload whose pods run on for ever and the schema of the definition cannot see
 * (OpenKruise workloads, section 7), and templates with keys that are for controllers to write, which it does not refuse. The
 * compiler reports it before it is merged; in the cluster such a target is held, and none of its pods is touched.
 */
export function invalidWorkloadFields({
  selector,
  template,
  volumeClaimTemplates,
}: Pick<WorkloadSpec, 'selector' | 'template' | 'volumeClaimTemplates'>): InvalidField[] {
  const found = selectorProblems(selector, labelsOf(template));
  const pod = (template['spec'] ?? {}) as JsonObject;
  const { restartPolicy } = pod;
  if (
    restartPolicy !== undefined &&
    restartPolicy !== null &&
    restartPolicy !== '' &&
    restartPolicy !== 'Always'
  )
    found.push({ path: ['spec', 'template', 'spec', 'restartPolicy'], rule: 'must be Always' });
  if (isNumber(pod['activeDeadlineSeconds']))
    found.push({ path: ['spec', 'template', 'spec', 'activeDeadlineSeconds'], rule: 'must not be set' });
  found.push(...reservedProblems(template, ['spec', 'template'], 'pod'));
  for (const [index, each] of volumeClaimTemplates.entries())
    found.push(...reservedProblems(each, ['spec', 'volumeClaimTemplates', String(index)], 'claim'));
  return found;
}

/** The same of what the object says beside its spec. */
export function invalidTargetMetadata(target: KubeObject): InvalidField[] {
  return reservedProblems({ metadata: target.metadata as unknown as JsonObject }, [], 'target');
}

function selectorProblems(selector: LabelSelector, labels: Readonly<Record<string, string>>): InvalidField[] {
  const path = ['spec', 'selector'];
  const problems = validateSelector(selector).map((one) => ({
    path: [...path, ...one.path],
    rule: one.message,
  }));
  if (problems.length > 0) return problems;
  if (formatSelector(selector) === '')
    return [{ path, rule: 'must not be empty: it would select every pod of the namespace' }];
  const mismatch = selectorMismatch(selector, labels);
  return mismatch === undefined
    ? []
    : [{ path, rule: `does not match the labels of the template: ${mismatch.difference}` }];
}

/** So many keys are named of each place, so that a message stays one. */
const MOST_NAMED = 3;
/** Who writes what is reserved. */
const WRITERS: Readonly<Record<Made, string>> = {
  pod: 'only what manages the pods',
  claim: 'only what manages the claims',
  target: 'only the runtime, on its records,',
};
/** No key that the server takes is longer than its prefix and name: 253 letters, a slash, and 63 letters. */
const LONGEST_KEY = 317;

/** The keys of a template by which a controller says what it has begun, and finds its own. */
function reservedProblems(template: JsonObject, path: string[], made: Made): InvalidField[] {
  const all = reservedKeys(template, made);
  return (['labels', 'annotations', 'finalizers'] as const).flatMap((section) => {
    const keys = all.filter((each) => each.section === section).map(({ key }) => key.slice(0, LONGEST_KEY));
    if (keys.length === 0) return [];
    const more = keys.length > MOST_NAMED ? ` and ${keys.length - MOST_NAMED} more` : '';
    const rule = `must not have ${keys.slice(0, MOST_NAMED).join(', ')}${more}: ${WRITERS[made]} writes that`;
    return [{ path: [...path, 'metadata', section], rule }];
  });
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number';
}
