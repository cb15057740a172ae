import type { Case } from './diagnostic-cases.ts';

const validate = { args: ['validate', 'head'] };

/** The parts of an AdvancedCronJob that differ between tests. */
export interface ScheduleParts {
  image?: string;
  /** Default: `jobTemplate`. */
  field?: string;
  schedule?: string;
  restartPolicy?: string;
}

/** Lines of an AdvancedCronJob; each part can be replaced. */
export function advancedCronJob(parts: ScheduleParts = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: AdvancedCronJob',
    'metadata:',
    '  name: tidy',
    '  namespace: ops',
    'spec:',
    `  schedule: "${parts.schedule ?? '*/5 * * * *'}"`,
    '  template:',
    `    ${parts.field ?? 'jobTemplate'}:`,
    '      spec:',
    '        template:',
    '          spec:',
    `            restartPolicy: ${parts.restartPolicy ?? 'Never'}`,
    '            containers:',
    `            - {name: tidy, image: "${parts.image ?? 'tidy:1'}"}`,
    '',
  ].join('\n');
}

/** A schedule of pulls: the spec of its children. */
function ofImages(spec: string): string {
  return `${advancedCronJob().split('    jobTemplate')[0] ?? ''}    imageListPullJobTemplate: {spec: ${spec}}\n`;
}

/** The same with a schedule of runs on nodes. */
const onNodes = (text: string) => changed(text, 'broadcastJobTemplate');

/** A schedule at both states that a rule of kruise.yaml is for. */
function changed(text: string, field = 'jobTemplate'): Pick<Case, 'base' | 'head' | 'files'> {
  return {
    base: advancedCronJob({ field }),
    head: advancedCronJob({ field, image: 'tidy:2' }),
    files: { 'head/kruise.yaml': `steps:\n- match: {}\n  ${text}\n` },
  };
}

/** Kinds that create something at the times of a schedule. */
export const scheduleCases: readonly Case[] = [
  { what: 'a schedule of Jobs', head: advancedCronJob(), options: validate, expected: [] },
  {
    what: 'a schedule of BroadcastJobs',
    head: advancedCronJob({ field: 'broadcastJobTemplate' }),
    options: validate,
    expected: [],
  },
  {
    what: 'a schedule that does not parse',
    head: advancedCronJob({ schedule: '* * * * 7' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:7:13'],
  },
  {
    what: 'a schedule that never fires',
    head: advancedCronJob({ schedule: '0 0 31 2 *' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:7:13'],
  },
  {
    what: 'children that never end',
    head: advancedCronJob({ restartPolicy: 'Always' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:13:28'],
  },
  {
    what: 'images that are pulled at the times of a schedule (AC-2)',
    head: ofImages('{images: [web:1], completionPolicy: {}}'),
    options: validate,
    expected: [],
  },
  {
    what: 'images of which a pull never ends (AC-9)',
    head: ofImages('{images: [web:1], completionPolicy: {type: Never}}'),
    options: validate,
    expected: ['KR2005 head/web.yaml:9:81'],
  },
  { what: 'batches of times', ...changed('batches: [{to: 2}, {to: 100%}]'), expected: [] },
  {
    what: 'a percentage of the times',
    ...changed('batches: [{to: 10%}, {to: 100%}]'),
    expected: ['KR2172 head/web.yaml:4:9'],
  },
  {
    what: 'a window of times',
    ...changed('batches: [{to: 1}, {to: 100%, window: {maxUnavailable: 1}}]'),
    expected: ['KR2172 head/web.yaml:4:9'],
  },
  {
    what: 'waves of runs',
    ...onNodes('waves: {batches: [{to: 1}, {to: 100%}], between: {soak: 2m}}'),
    expected: [],
  },
  {
    what: 'waves that take longer than the time to the next one',
    ...onNodes('waves: {batches: [{to: 1}, {to: 10%}, {to: 100%}], between: {soak: 2m30s}}'),
    expected: ['KR2173 head/web.yaml:4:9'],
  },
  {
    what: 'waves that wait for an approval',
    ...onNodes('waves: {batches: [{to: 1}, {to: 100%}], approve: [1]}'),
    expected: ['KR2173 head/web.yaml:4:9'],
  },
  {
    what: 'waves of a schedule of Jobs',
    ...changed('waves: {batches: [{to: 1}, {to: 100%}]}'),
    expected: ['KR4035 head/kruise.yaml:3:3'],
  },
  {
    what: 'a pull before a schedule',
    ...changed('pull: {parallelism: 5}'),
    expected: ['KR4036 head/kruise.yaml:3:3'],
  },
  {
    what: 'waves that never reach every node',
    ...onNodes('waves: {batches: [{to: 1}, {to: 10%}]}'),
    expected: ['KR4003 head/kruise.yaml:3:35'],
  },
  {
    what: 'waves without batches',
    ...onNodes('waves: {between: {soak: 1m}}'),
    expected: ['KR2004 head/kruise.yaml:3:3'],
  },
];
