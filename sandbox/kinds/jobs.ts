import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { textAt, withField } from '../store/value.ts';
import { withDefaultsForEmpty, eachWithin, within } from '../../schemas/pods/defaulting.ts';
import { specDefaulter } from './defaulting.ts';
import { podWarnings } from './podWarnings.ts';
import {
  completeTemplate,
  withSpecDefaults,
  specOf,
  withEmptyStatus,
  withTemplateLabels,
} from './template.ts';
import { checkCronJob, checkCronJobName, checkJob, checkJobUpdate } from './jobValidation.ts';

/** A Job gets a generated selector by uid, unless manualSelector is set. */
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
    ...labels,
    ...(fieldAt(spec['template'], ['metadata', 'labels']) as Record<string, string> | undefined),
  });
  const given = fieldAt(spec, ['selector', 'matchLabels']);
  // The Job shares the labels object of its template.
  const own = object.metadata.labels;
  const isTheirs = own === undefined || own === fieldAt(spec, ['template', 'metadata', 'labels']);
  const matchLabels = {
    ...(isFields(given) ? given : {}),
    'batch.kubernetes.io/controller-uid': uid,
  };
  return {
    ...object,
    ...(isTheirs ? { metadata: { ...object.metadata, labels: { ...labels, ...own } } } : {}),
    spec: { ...spec, selector: { matchLabels }, template },
  };
}

const mostInteger = 2 ** 31 - 1;

/** Defaults of the pod failure policy. */
function withFailureDefaults(spec: Fields): Fields {
  return within(spec, ['podFailurePolicy'], (policy) =>
    eachWithin(policy, ['rules'], (rule) =>
      eachWithin(rule, ['onPodConditions'], (pattern) => withDefaultsForEmpty(pattern, { status: 'True' })),
    ),
  );
}

function withJobSpec(object: KubeObject): KubeObject {
  const { completions, parallelism, backoffLimitPerIndex, podFailurePolicy } = specOf(object);
  const single = completions === undefined && parallelism === undefined;
  const next = withSpecDefaults(object, {
    manualSelector: false,
    parallelism: 1,
    ...(single ? { completions: 1 } : {}),
    backoffLimit: backoffLimitPerIndex === undefined ? 6 : mostInteger,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  return { ...next, spec: withFailureDefaults(specOf(next)) };
}

function withJobDefaults(object: KubeObject, current: KubeObject | undefined): KubeObject {
  return withTemplateLabels(specDefaulter(withJobSpec)(object, current));
}

const jobRules: KindRules = {
  warnings: podWarnings(['spec', 'template', 'spec']),
  propagation: 'Orphan',
  defaults: withJobDefaults,
  prepareCreate: (object) => withEmptyStatus(withJobSelector(object), {}),
  check: checkJob,
  checkUpdate: checkJobUpdate,
  fields: {
    'status.successful': (object) => textAt(['status', 'succeeded'])(object) || '0',
  },
};

function withCronJobDefaults(object: KubeObject): KubeObject {
  const next = withSpecDefaults(object, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const template = fieldAt(next, ['spec', 'jobTemplate', 'spec', 'template']);
  if (template === undefined) return next;
  const job = withFailureDefaults(fieldAt(next, ['spec', 'jobTemplate', 'spec']) as Fields);
  return withField(next, ['spec', 'jobTemplate', 'spec'], {
    ...job,
    template: completeTemplate(template),
  }) as KubeObject;
}

const cronJobRules: KindRules = {
  warnings: podWarnings(['spec', 'jobTemplate', 'spec', 'template', 'spec']),
  defaults: specDefaulter(withCronJobDefaults),
  prepareCreate: (object) => withEmptyStatus(object, {}),
  check: checkCronJob,
  checkCreate: checkCronJobName,
};

/** Batch kinds, by resource id. */
export const jobKinds: Readonly<Record<string, KindRules>> = {
  'jobs.batch': jobRules,
  'cronjobs.batch': cronJobRules,
};
