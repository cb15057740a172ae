import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, sameValue, textAt, withField, type Fields } from '../store/value.ts';
import { checkPodSpec } from './podValidation.ts';
import { checkCount, completeTemplate, filled, specOf, withEmptyStatus } from './template.ts';

/** A Job selects its own pods by its uid, unless it says that it selects them by hand. */
function withJobSelector(object: KubeObject): KubeObject {
  const { name, uid = '' } = object.metadata;
  const spec = specOf(object);
  if (spec['manualSelector'] === true) return object;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const template = withField(spec['template'], ['metadata', 'labels'], {
    ...(fieldAt(spec['template'], ['metadata', 'labels']) as Record<string, string> | undefined),
    ...labels,
  });
  const given = fieldAt(spec, ['selector', 'matchLabels']);
  const matchLabels = {
    ...(isFields(given) ? given : {}),
    'batch.kubernetes.io/controller-uid': uid,
  };
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...labels, ...object.metadata.labels } },
    spec: { ...spec, selector: { matchLabels }, manualSelector: false, template },
  };
}

function withJobDefaults(object: KubeObject): KubeObject {
  const { completions, parallelism } = specOf(object);
  const single = completions === undefined && parallelism === undefined;
  return filled(object, {
    parallelism: 1,
    ...(single ? { completions: 1 } : {}),
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  });
}

function checkJobTemplate(spec: Fields, path: string): FieldError[] {
  const template = fieldAt(spec, ['template', 'spec']);
  const policy = fieldAt(template, ['restartPolicy']);
  const errors = checkPodSpec(template, `${path}.template.spec`);
  return policy === 'Always'
    ? [...errors, field.required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]
    : errors;
}

const jobRules: KindRules = {
  propagation: 'Orphan',
  prepareCreate: (object) => withEmptyStatus(withJobDefaults(withJobSelector(object)), {}),
  prepareUpdate: withJobDefaults,
  check(object) {
    const spec = specOf(object);
    return [
      ...['parallelism', 'completions', 'backoffLimit'].flatMap((name) =>
        checkCount(`spec.${name}`, spec[name]),
      ),
      ...checkJobTemplate(spec, 'spec'),
    ];
  },
  checkUpdate: (next, current) =>
    ['completions', 'selector', 'template']
      .filter((name) => !sameValue(specOf(next)[name], specOf(current)[name]))
      .map((name) => field.invalid(`spec.${name}`, specOf(next)[name] ?? null, 'field is immutable')),
  fields: {
    'status.successful': (object) => textAt(['status', 'succeeded'])(object) || '0',
  },
};

function withCronJobDefaults(object: KubeObject): KubeObject {
  const next = filled(object, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const template = fieldAt(next, ['spec', 'jobTemplate', 'spec', 'template']);
  return template === undefined
    ? next
    : (withField(
        next,
        ['spec', 'jobTemplate', 'spec', 'template'],
        completeTemplate(template),
      ) as KubeObject);
}

const cronJobRules: KindRules = {
  prepareCreate: (object) => withEmptyStatus(withCronJobDefaults(object), {}),
  prepareUpdate: withCronJobDefaults,
  check(object) {
    const { schedule, jobTemplate } = specOf(object);
    const fields = typeof schedule === 'string' ? schedule.split(/\s+/).filter((part) => part !== '') : [];
    const errors: FieldError[] = [];
    if (fields.length === 0) errors.push(field.required('spec.schedule'));
    else if (fields.length !== 5 && !String(schedule).startsWith('@'))
      errors.push(
        field.invalid(
          'spec.schedule',
          schedule,
          `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`,
        ),
      );
    const spec = fieldAt(jobTemplate, ['spec']);
    return [...errors, ...checkJobTemplate(isFields(spec) ? spec : {}, 'spec.jobTemplate.spec')];
  },
};

/** Work that ends, by resource id. */
export const jobKinds: Readonly<Record<string, KindRules>> = {
  'jobs.batch': jobRules,
  'cronjobs.batch': cronJobRules,
};
