import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { isImageName } from '../values/image-name.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { validateSelector } from '../values/selector.ts';
import { imageOf, normalizePull, parallelismOf } from './normalize.ts';

const SPEC = ['spec'];

/** Errors in an ImagePullJob, in the words of OpenKruise's admission where it has some (image-pull, section 7). */
export function invalidPullJob(target: KubeObject): InvalidField[] {
  return [...invalidPull(target), ...imageFaults(imageOf(target), [...SPEC, 'image'])];
}

/** Errors in what an ImagePullJob has beside its image. */
export function invalidPull(target: KubeObject): InvalidField[] {
  const spec = objectOf(target['spec']);
  return [
    ...selectorFaults(spec),
    ...parallelismFaults(spec['parallelism']),
    ...completionFaults(target, objectOf(spec['completionPolicy'])),
  ];
}

/** What no runtime reads as the name of an image. */
export function imageFaults(image: string, path: string[]): InvalidField[] {
  if (image === '') return [{ path, rule: 'image can not be empty' }];
  return isImageName(image) ? [] : [{ path, rule: 'must be the name of an image' }];
}

function selectorFaults(spec: Readonly<Record<string, unknown>>): InvalidField[] {
  const { selector, podSelector } = spec;
  const found: InvalidField[] = [];
  if (isObject(selector)) {
    const path = [...SPEC, 'selector'];
    const { names } = selector as { names?: unknown };
    const list = Array.isArray(names) ? names : [];
    const isLabelled = ['matchLabels', 'matchExpressions'].some((field) => isFilled(selector[field]));
    if (list.length > 0 && isLabelled)
      found.push({ path, rule: 'can not set both names and labelSelector in this spec.selector' });
    if (new Set(list).size < list.length)
      found.push({ path: [...path, 'names'], rule: 'duplicated name in selector names' });
    found.push(...termFaults(selector, path));
    if (isObject(podSelector)) found.push({ path: SPEC, rule: 'can not set both selector and podSelector' });
  }
  if (isObject(podSelector)) found.push(...termFaults(podSelector, [...SPEC, 'podSelector']));
  return found;
}

function termFaults(selector: object, path: string[]): InvalidField[] {
  return validateSelector(selector).map((problem) => ({
    path: [...path, ...problem.path],
    rule: problem.message,
  }));
}

function isFilled(value: unknown): boolean {
  return isObject(value) ? Object.keys(value).length > 0 : Array.isArray(value) && value.length > 0;
}

function parallelismFaults(value: unknown): InvalidField[] {
  if (value === undefined || value === null || parallelismOf(value) !== undefined) return [];
  const isPercent = typeof value === 'string' && value.endsWith('%');
  const rule = isPercent
    ? 'parallelism does not support percentage value'
    : 'must be a whole number that is not negative';
  return [{ path: [...SPEC, 'parallelism'], rule }];
}

function completionFaults(target: KubeObject, policy: Readonly<Record<string, unknown>>): InvalidField[] {
  const path = [...SPEC, 'completionPolicy'];
  const [deadline, ttl] = ['activeDeadlineSeconds', 'ttlSecondsAfterFinished'].map((field) =>
    numberOf(policy[field]),
  );
  if (policy['type'] === 'Never' && (deadline !== undefined || ttl !== undefined)) {
    const rule =
      'activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType';
    return [{ path, rule }];
  }
  if (deadline === undefined || deadline * 1000 >= normalizePull(target).attemptMs) return [];
  const rule =
    'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)';
  return [{ path: [...path, 'activeDeadlineSeconds'], rule }];
}
