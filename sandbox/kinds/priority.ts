import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from '../api/errors.ts';
import type { RelatedObjects, KindRules } from '../api/registry.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { withDefaultsForAbsent } from '../../schemas/pods/defaulting.ts';

const highest = 1_000_000_000;
const lower = 'PreemptLowerPriority';
const classes = { group: 'scheduling.k8s.io', plural: 'priorityclasses' };
const classesId = 'priorityclasses.scheduling.k8s.io';
/** Built-in priority classes, which exist without being stored. */
const system: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function checkClass({ metadata, value, preemptionPolicy }: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const { name } = metadata;
  if (name.startsWith('system-')) {
    if (system[name] === undefined)
      errors.push(
        field.forbidden(
          'metadata.name',
          `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
        ),
      );
  } else if (typeof value === 'number' && value > highest)
    errors.push(field.forbidden('value', `maximum allowed value of a user defined priority is ${highest}`));
  if (preemptionPolicy !== lower && preemptionPolicy !== 'Never')
    errors.push(field.notSupported('preemptionPolicy', preemptionPolicy, [lower, 'Never']));
  return errors;
}

/** Priority classes: at most one is the global default. */
export const priorityClassRules: KindRules = {
  defaults: (object) => withDefaultsForAbsent(object, { value: 0, preemptionPolicy: lower }) as KubeObject,
  check: checkClass,
  checkUpdate: (next, current) =>
    ['value', 'preemptionPolicy']
      .filter((name) => !sameValue(next[name], current[name]))
      .map((name) => field.forbidden(name, 'may not be changed in an update.')),
  allocate(object, others) {
    if (object['globalDefault'] !== true) return object;
    const other = others.find((each) => each['globalDefault'] === true);
    if (other === undefined) return object;
    throw refuse.forbidden(
      classes,
      object.metadata.name,
      `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
    );
  },
};

interface Priority {
  priority: number;
  preemptionPolicy: string;
  priorityClassName?: string;
}

function priorityOf(found: KubeObject, named: boolean): Priority {
  return {
    priority: Number(found['value']),
    preemptionPolicy: found['preemptionPolicy'] === 'Never' ? 'Never' : lower,
    ...(named ? {} : { priorityClassName: found.metadata.name }),
  };
}

function resolve(pod: string, className: unknown, { read, list }: RelatedObjects): Priority {
  if (typeof className !== 'string' || className === '') {
    const found = list(classesId).find((each) => each['globalDefault'] === true);
    return found === undefined ? { priority: 0, preemptionPolicy: lower } : priorityOf(found, false);
  }
  const found = read(classesId, '', className);
  if (found !== undefined) return priorityOf(found, true);
  const known = Object.hasOwn(system, className) ? system[className] : undefined;
  if (known !== undefined) return { priority: known, preemptionPolicy: lower };
  throw refuse.forbidden(
    { group: '', plural: 'pods' },
    pod,
    `no PriorityClass with name ${className} was found`,
  );
}

/** An update keeps the priority if it does not set one. */
export function withSamePriority(next: KubeObject, current: KubeObject): KubeObject {
  const [spec, before] = [next['spec'], current['spec']];
  if (!isFields(spec) || !isFields(before)) return next;
  const { priority, preemptionPolicy } = before;
  const same = withDefaultsForAbsent(spec, {
    ...(priority === undefined ? {} : { priority }),
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  });
  return same === spec ? next : { ...next, spec: same };
}

/**
 * Resolves the priority of a pod from its class or the global default. 403 for an unknown class or a priority that
 * differs from the class.
 */
export function withPriority(pod: KubeObject, relatedObjects: RelatedObjects): KubeObject {
  const spec: Fields | undefined = isFields(pod['spec']) ? pod['spec'] : undefined;
  if (spec === undefined) return pod;
  const { name } = pod.metadata;
  const found = resolve(name, spec['priorityClassName'], relatedObjects);
  const { priority = found.priority, preemptionPolicy = found.preemptionPolicy } = spec;
  const computed = (value: unknown) =>
    `must not be provided in pod spec; priority admission controller computed ${String(value)} from the given PriorityClass name`;
  const forbidden = (why: string) => refuse.forbidden({ group: '', plural: 'pods' }, name, why);
  if (priority !== found.priority)
    throw forbidden(`the integer value of priority (${String(priority)}) ${computed(found.priority)}`);
  if (preemptionPolicy !== found.preemptionPolicy)
    throw forbidden(
      `the string value of PreemptionPolicy (${String(preemptionPolicy)}) ${computed(found.preemptionPolicy)}`,
    );
  return { ...pod, spec: { ...spec, ...found } };
}
