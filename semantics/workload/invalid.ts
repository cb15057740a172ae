import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { invalidLaunchOrder } from '../launch/invalid.ts';
import { invalidLifecycle } from '../lifecycle/invalid.ts';
import { type TemplateUse, reservedKeys } from '../pod/reserved-keys.ts';
import { misshapenFields } from '../template/misshapen.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../values/selector.ts';
import { labelsOf, selectorMismatch } from '../values/selector-mismatch.ts';
import { objectOf } from '../values/read.ts';
import { RUNTIME_ACCOUNT } from '../values/system-namespaces.ts';
import type { WorkloadSpec } from './view.ts';

/**
 * Errors in a workload that the schema of its definition cannot express: what OpenKruise's admission refuses (OpenKruise
 * workloads, section 7), and keys in templates that only controllers may write, which admission does not refuse. The compiler
 * reports them; in the cluster such a target is held, and none of its pods is changed.
 */
export function invalidWorkloadFields({
  selector,
  template,
  volumeClaimTemplates,
  lifecycle,
}: Pick<WorkloadSpec, 'selector' | 'template' | 'volumeClaimTemplates' | 'lifecycle'>): InvalidField[] {
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
  found.push(...invalidPodTemplate(template), ...invalidLaunchOrder(template));
  for (const [index, each] of volumeClaimTemplates.entries())
    found.push(...reservedProblems(each, ['spec', 'volumeClaimTemplates', String(index)], 'claim'));
  found.push(...invalidLifecycle(lifecycle));
  return found;
}

/** Errors in the metadata of the target itself. */
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

/** Errors in the template of pods, whatever the pods are for: in its structure, its metadata, and its service account. */
export function invalidPodTemplate(template: JsonObject): InvalidField[] {
  const path = ['spec', 'template'];
  return [
    ...misshapenFields(template, path),
    ...reservedProblems(template, path, 'pod'),
    ...accountProblems(template, path),
  ];
}

/**
 * The runtime creates pods for whoever may write a target: with its own account they would have its rights. The policies refuse
 * it, too, where they are installed. An installation may add to the name.
 */
function accountProblems(template: JsonObject, path: string[]): InvalidField[] {
  const pod = objectOf(template['spec']);
  return ['serviceAccountName', 'serviceAccount'].flatMap((field) => {
    const account = pod[field];
    if (typeof account !== 'string' || !account.includes(RUNTIME_ACCOUNT)) return [];
    const rule = `must not be an account of the runtime (${RUNTIME_ACCOUNT}): its pods would have the rights of the runtime`;
    return [{ path: [...path, 'spec', field], rule }];
  });
}

/** How many keys a message names at most. */
const MAX_NAMED_KEYS = 3;
/** Who writes the reserved keys, for messages. */
const WRITERS: Readonly<Record<TemplateUse, string>> = {
  pod: 'only what manages the pods',
  claim: 'only what manages the claims',
  target: 'only the runtime, on its records,',
};
/** The longest key that the server accepts: a prefix of 253 characters, a slash, and a name of 63 characters. */
const MAX_KEY_LENGTH = 317;

/** The keys in a template that are reserved for controllers. */
function reservedProblems(template: JsonObject, path: string[], use: TemplateUse): InvalidField[] {
  const all = reservedKeys(template, use);
  return (['labels', 'annotations', 'finalizers'] as const).flatMap((section) => {
    const keys = all
      .filter((each) => each.section === section)
      .map(({ key }) => key.slice(0, MAX_KEY_LENGTH));
    if (keys.length === 0) return [];
    const more = keys.length > MAX_NAMED_KEYS ? ` and ${keys.length - MAX_NAMED_KEYS} more` : '';
    const rule = `must not have ${keys.slice(0, MAX_NAMED_KEYS).join(', ')}${more}: ${WRITERS[use]} writes that`;
    return [{ path: [...path, 'metadata', section], rule }];
  });
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number';
}
