import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import {
  ageColumn,
  column,
  containerColumns,
  count,
  labelsText,
  listAt,
  nameColumn,
  numberAt,
  selectorText,
  textAt,
  wide,
  type Column,
} from './column.ts';
import { humanDuration, since } from './duration.ts';

const selectorColumn = wide('Selector', (object) => selectorText(fieldAt(object, ['spec', 'selector'])));

const ready = column(
  'Ready',
  (object) => `${numberAt(object, ['status', 'readyReplicas'])}/${numberAt(object, ['spec', 'replicas'])}`,
);

function jobCondition(job: KubeObject, type: string): boolean {
  return listAt(job, ['status', 'conditions']).some(
    (each) => textAt(each, ['type']) === type && textAt(each, ['status']) === 'True',
  );
}

function jobStatus(job: KubeObject): string {
  if (jobCondition(job, 'Complete')) return 'Complete';
  if (jobCondition(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (jobCondition(job, 'Suspended')) return 'Suspended';
  if (jobCondition(job, 'FailureTarget')) return 'FailureTarget';
  if (jobCondition(job, 'SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

function completions(job: KubeObject): string {
  const succeeded = numberAt(job, ['status', 'succeeded']);
  const wanted = fieldAt(job, ['spec', 'completions']);
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, ['spec', 'parallelism']);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const start = textAt(job, ['status', 'startTime']);
  if (start === '') return '';
  const end = textAt(job, ['status', 'completionTime']);
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}

function controllerOf(revision: KubeObject): string {
  const owner = revision.metadata.ownerReferences?.find((each) => each.controller === true);
  if (owner === undefined) return '<none>';
  const [group] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [''];
  return `${owner.kind.toLowerCase()}${group ? `.${group}` : ''}/${owner.name}`;
}

export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  'deployments.apps': [
    nameColumn,
    ready,
    column('Up-to-date', (object) => numberAt(object, ['status', 'updatedReplicas'])),
    column('Available', (object) => numberAt(object, ['status', 'availableReplicas'])),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn,
  ],
  'replicasets.apps': [
    nameColumn,
    count('Desired', 'spec', 'replicas'),
    count('Current', 'status', 'replicas'),
    count('Ready', 'status', 'readyReplicas'),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn,
  ],
  replicationcontrollers: [
    nameColumn,
    count('Desired', 'spec', 'replicas'),
    count('Current', 'status', 'replicas'),
    count('Ready', 'status', 'readyReplicas'),
    ageColumn,
    ...containerColumns('spec', 'template'),
    wide('Selector', (object) => labelsText(fieldAt(object, ['spec', 'selector']))),
  ],
  'statefulsets.apps': [nameColumn, ready, ageColumn, ...containerColumns('spec', 'template')],
  'daemonsets.apps': [
    nameColumn,
    count('Desired', 'status', 'desiredNumberScheduled'),
    count('Current', 'status', 'currentNumberScheduled'),
    count('Ready', 'status', 'numberReady'),
    count('Up-to-date', 'status', 'updatedNumberScheduled'),
    count('Available', 'status', 'numberAvailable'),
    column('Node Selector', (object) =>
      labelsText(fieldAt(object, ['spec', 'template', 'spec', 'nodeSelector'])),
    ),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn,
  ],
  'controllerrevisions.apps': [
    nameColumn,
    column('Controller', controllerOf),
    column('Revision', (object) => numberAt(object, ['revision'])),
    ageColumn,
  ],
  'jobs.batch': [
    nameColumn,
    column('Status', jobStatus),
    column('Completions', completions),
    column('Duration', jobDuration),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn,
  ],
  'cronjobs.batch': [
    nameColumn,
    column('Schedule', (object) => textAt(object, ['spec', 'schedule'])),
    column('Timezone', (object) => textAt(object, ['spec', 'timeZone']) || '<none>'),
    column('Suspend', (object) => (fieldAt(object, ['spec', 'suspend']) === true ? 'True' : 'False'), {
      type: 'boolean',
    }),
    column('Active', (object) => listAt(object, ['status', 'active']).length, { type: 'integer' }),
    column('Last Schedule', (object, now) => {
      const last = textAt(object, ['status', 'lastScheduleTime']);
      return last === '' ? '<none>' : since(last, now);
    }),
    ageColumn,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
    wide('Selector', (object) => selectorText(fieldAt(object, ['spec', 'jobTemplate', 'spec', 'selector']))),
  ],
  podtemplates: [
    nameColumn,
    ...containerColumns('template').map((each) => ({ ...each, priority: 0 })),
    column('Pod Labels', (object) => labelsText(fieldAt(object, ['template', 'metadata', 'labels']))),
  ],
  'poddisruptionbudgets.policy': [
    nameColumn,
    column('Min Available', (object) => intOrPercent(fieldAt(object, ['spec', 'minAvailable']))),
    column('Max Unavailable', (object) => intOrPercent(fieldAt(object, ['spec', 'maxUnavailable']))),
    count('Allowed Disruptions', 'status', 'disruptionsAllowed'),
    ageColumn,
  ],
};

function intOrPercent(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';
}
