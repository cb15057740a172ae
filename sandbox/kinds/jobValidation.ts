import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { nameFaults } from '../../schemas/pods/names.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { isTimeZone, scheduleFault } from './cronSchedule.ts';
import {
  checkLabelSelector,
  entriesOf,
  fieldsOf,
  isSet,
  isMissing,
  isUsable,
  notNegative,
  oneOf,
  someOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { checkMatch, selectorText } from './templateValidation.ts';
import { checkPodTemplate } from '../../schemas/pods/podTemplate.ts';

function checkIndexed({ completionMode, completions }: Fields, path: string): FieldError[] {
  return completionMode === 'Indexed' && !isSet(completions)
    ? [field.required(`${path}.completions`, 'when completion mode is Indexed')]
    : [];
}

function checkRestarts(spec: Fields, path: string): FieldError[] {
  const pod = fieldsOf(spec['template'])['spec'];
  const policy = isFields(pod) ? pod['restartPolicy'] : 'Always';
  const at = `${path}.template.spec.restartPolicy`;
  if (policy === 'Always' || isMissing(policy))
    return [field.required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [field.notSupported(at, policy, ['OnFailure', 'Never'])];
  return isFields(spec['podFailurePolicy']) && policy !== 'Never'
    ? [field.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
];

/** Validation common to Jobs and the job templates of CronJobs. `path`: of the spec. */
function checkJobSpec(spec: Fields, path: string): FieldError[] {
  const { completionMode, podReplacementPolicy: replacement } = spec;
  const errors = counts.flatMap((name) => notNegative(`${path}.${name}`, spec[name]));
  const replacements = isFields(spec['podFailurePolicy']) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return [
    ...errors,
    ...oneOf(`${path}.completionMode`, completionMode, ['NonIndexed', 'Indexed']),
    ...checkIndexed(spec, path),
    ...oneOf(`${path}.podReplacementPolicy`, replacement, replacements),
    ...checkPodTemplate(spec['template'], `${path}.template`),
    ...checkRestarts(spec, path),
  ];
}

/** All validation errors of a Job with generated labels and selector. */
export function checkJob(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const { selector, template, completions, manualSelector } = spec;
  const errors: FieldError[] = [];
  const { uid = '', name } = object.metadata;
  if (manualSelector !== true && isFields(selector)) {
    const expected = {
      'controller-uid': uid,
      'job-name': name,
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
    };
    const generated = { metadata: { labels: expected } };
    const { labels } = fieldsOf(fieldsOf(template)['metadata']);
    for (const [key, value] of Object.entries(expected))
      if (fieldsOf(labels)[key] !== value)
        errors.push(
          field.invalid(
            `spec.template.metadata.labels[${key}]`,
            Object.fromEntries(entriesOf(labels)),
            `must be '${value}'`,
          ),
        );
    if (isUsable(selector) && checkMatch(selector, generated).length > 0)
      errors.push(field.invalid('spec.selector', selectorText(selector), '`selector` not auto-generated'));
  }
  errors.push(...checkJobSpec(spec, 'spec'));
  errors.push(
    ...(isFields(selector)
      ? checkLabelSelector('spec.selector', selector)
      : [field.required('spec.selector')]),
  );
  if (!isFields(selector) || isUsable(selector)) errors.push(...checkMatch(selector, template));
  if (spec['completionMode'] === 'Indexed' && typeof completions === 'number' && completions > 0) {
    const host = `${name}-${completions - 1}`;
    if (nameFaults(host, 'label').length > 0)
      errors.push(
        field.invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${host}`),
      );
  }
  return errors;
}

/** A template without what says on which nodes its pods run. */
function withoutNodes(template: unknown): unknown {
  const { metadata, spec, ...rest } = fieldsOf(template);
  const { labels: _labels, annotations: _annotations, ...names } = fieldsOf(metadata);
  const {
    nodeSelector: _nodes,
    tolerations: _taints,
    schedulingGates: _gates,
    affinity,
    ...others
  } = fieldsOf(spec);
  const { nodeAffinity: _affinity, ...towardsPods } = fieldsOf(affinity);
  return { ...rest, names, others, towardsPods };
}

/** A Job that has not begun may be given other nodes. */
function isSameTemplate(next: Fields, current: KubeObject): boolean {
  const { template, suspend } = fieldsOf(current['spec']);
  const mayMove = suspend === true && fieldsOf(current['status'])['startTime'] === undefined;
  return mayMove
    ? sameValue(withoutNodes(next['template']), withoutNodes(template))
    : sameValue(next['template'], template);
}

const fixed = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

/** The errors of a change of a Job. */
export function checkJobUpdate(object: KubeObject, current: KubeObject): FieldError[] {
  const next = fieldsOf(object['spec']);
  const before = fieldsOf(current['spec']);
  const isSame = (name: string) => sameValue(next[name], before[name]);
  const immutable = (name: string) => field.invalid(`spec.${name}`, next[name] ?? null, 'field is immutable');
  const errors: FieldError[] = [];
  const { completions, parallelism, completionMode } = next;
  if (completionMode !== 'Indexed' && !isSame('completions')) errors.push(immutable('completions'));
  else if (!isSame('completions') && isSet(completions) && completions !== parallelism)
    errors.push(
      field.invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism'),
    );
  if (!isSame('selector')) errors.push(immutable('selector'));
  if (!isSameTemplate(next, current)) errors.push(immutable('template'));
  return [...errors, ...fixed.filter((name) => !isSame(name)).map(immutable)];
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

function checkTimeZone(zone: unknown): FieldError[] {
  if (!isSet(zone)) return [];
  const name = textOf(zone);
  const refuse = (why: string) => [field.invalid('spec.timeZone', name, why)];
  if (name === '') return refuse('timeZone must be nil or non-empty string');
  const isBad = (part: string) =>
    part === '.' || part === '..' || part.startsWith('-') || !zonePart.test(part);
  if (name.split('/').some(isBad)) return refuse(`unknown time zone ${name}`);
  return [
    ...(name.toLowerCase() === 'local'
      ? refuse('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')
      : []),
    ...(isTimeZone(name) ? [] : refuse(`unknown time zone ${name}`)),
  ];
}

function checkSchedule(schedule: unknown): FieldError[] {
  const text = textOf(schedule);
  if (text === '') return [field.required('spec.schedule')];
  const fault = scheduleFault(text);
  return [
    ...(fault === undefined ? [] : [field.invalid('spec.schedule', text, fault)]),
    ...(text.includes('TZ')
      ? [
          field.invalid(
            'spec.schedule',
            text,
            'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
          ),
        ]
      : []),
  ];
}

/** Everything wrong with a CronJob. */
export function checkCronJob(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const job = fieldsOf(fieldsOf(spec['jobTemplate'])['spec']);
  const { selector, manualSelector } = job;
  const path = 'spec.jobTemplate.spec';
  return [
    ...checkSchedule(spec['schedule']),
    ...notNegative('spec.startingDeadlineSeconds', spec['startingDeadlineSeconds']),
    ...checkTimeZone(spec['timeZone']),
    ...someOf('spec.concurrencyPolicy', spec['concurrencyPolicy'], ['Allow', 'Forbid', 'Replace']),
    ...checkJobSpec(job, path),
    ...(isFields(selector)
      ? [field.invalid(`${path}.selector`, selectorText(selector), '`selector` will be auto-generated')]
      : []),
    ...(manualSelector === true
      ? [field.notSupported(`${path}.manualSelector`, true, ['nil', 'false'])]
      : []),
    ...notNegative('spec.successfulJobsHistoryLimit', spec['successfulJobsHistoryLimit']),
    ...notNegative('spec.failedJobsHistoryLimit', spec['failedJobsHistoryLimit']),
  ];
}

/** Jobs of a CronJob have longer names than the CronJob; existing CronJobs are exempt. */
export function checkCronJobName({ metadata: { name } }: KubeObject): FieldError[] {
  return textOf(name).length > 52
    ? [field.invalid('metadata.name', name, 'must be no more than 52 characters')]
    : [];
}
