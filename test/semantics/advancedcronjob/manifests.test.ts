import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { isNativeEnough, lintCronJob } from '../../../semantics/advancedcronjob/git-lint.ts';
import { invalidCronJob } from '../../../semantics/advancedcronjob/invalid.ts';
import { childOf, normalizeCronJob } from '../../../semantics/advancedcronjob/normalize.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { broadcastJobTemplate, cronJobOf, jobTemplate, onePod } from './model.ts';

const said = (faults: readonly { path: string[]; rule: string }[]): string[] =>
  faults.map(({ path, rule }) => `${path.join('.')} ${rule}`);
const pathsOf = (faults: readonly { path: string[] }[]): string[] => faults.map(({ path }) => path.join('.'));
const named = (name: string): KubeObject => cronJobOf({}, { name });
const at = (schedule: string, timeZone?: string): KubeObject =>
  cronJobOf({ schedule, ...(timeZone !== undefined && { timeZone }) });
const imageList = (spec: JsonObject = {}): JsonObject => ({
  imageListPullJobTemplate: { spec: { images: ['job:1'], completionPolicy: {}, ...spec } },
});
const images = imageList();
const JOB = 'spec.template.jobTemplate.spec.template';
const BROADCAST = 'spec.template.broadcastJobTemplate.spec';

describe('what admission refuses (OpenKruise advancedcronjob, section 7)', () => {
  test.each<[what: string, manifest: KubeObject, faults: string[]]>([
    ['nothing (AC-1)', cronJobOf(), []],
    ['no template (AC-3)', cronJobOf({ template: {} }), ['spec.template']],
    [
      'two templates (AC-3)',
      cronJobOf({ template: { ...jobTemplate(), ...broadcastJobTemplate() } }),
      ['spec.template'],
    ],
    [
      'a template of images beside another (AC-3)',
      cronJobOf({ template: { ...jobTemplate(), ...images } }),
      ['spec.template'],
    ],
    ['an empty schedule (AC-4)', at(''), ['spec.schedule']],
    ['a schedule of words (AC-4)', at('every day'), ['spec.schedule']],
    ['the eighth day of the week (AC-4)', at('* * * * 7'), ['spec.schedule']],
    ['? for the day of the week (AC-4)', at('0 10 * * ?'), []],
    ['a descriptor (AC-4)', at('@hourly'), []],
    ['an empty zone (AC-5)', at('@hourly', ''), ['spec.timeZone']],
    ['the zone of the controller (AC-5)', at('@hourly', 'local'), ['spec.timeZone']],
    ['an unknown zone (AC-5)', at('@hourly', 'Europe/Atlantis'), ['spec.timeZone']],
    ['an offset for a zone (AC-5)', at('@hourly', '+05:00'), ['spec.timeZone']],
    ['a zone in lower case (AC-5)', at('@hourly', 'europe/berlin'), ['spec.timeZone']],
    ['a zone', at('@hourly', 'Europe/Berlin'), []],
    ['an old name of a zone', at('@hourly', 'Asia/Calcutta'), []],
    ['a zone in the schedule (AC-6)', at('TZ=Asia/Shanghai 0 10 * * ?'), []],
    ['two zones (AC-6)', at('TZ=Asia/Shanghai 0 10 * * ?', 'Asia/Shanghai'), ['spec.schedule']],
    [
      'a negative deadline (AC-7)',
      cronJobOf({ startingDeadlineSeconds: -1 }),
      ['spec.startingDeadlineSeconds'],
    ],
    [
      'negative limits (AC-7)',
      cronJobOf({ successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
      ['spec.successfulJobsHistoryLimit', 'spec.failedJobsHistoryLimit'],
    ],
    ['a name of 52 characters', named('n'.repeat(52)), []],
    ['a name of 53 characters (AC-29)', named('n'.repeat(53)), ['metadata.name']],
    ['a dot in the name', named('tidy.up'), ['metadata.name']],
    [
      'a record of plans',
      cronJobOf({}, { annotations: { 'plan.kruise.io/x': '' } }),
      ['metadata.annotations'],
    ],
  ])('%s', (_what, manifest, faults) => {
    expect(pathsOf(invalidCronJob(manifest))).toEqual(faults);
  });

  test('the message says why', () => {
    expect(said(invalidCronJob(cronJobOf({ schedule: '61 * * * *', timeZone: 'Local' })))).toEqual([
      'spec.schedule must be a schedule: the minute 61 is not within 0 to 59',
      'spec.timeZone must name a zone: that of the controller is no property of the object',
    ]);
  });
});

describe('what could not be created of a template, which OpenKruise accepts (OpenKruise advancedcronjob, section 7)', () => {
  const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    template: { metadata, spec: { containers: [], ...spec } },
  });
  test.each<[what: string, template: JsonObject, faults: string[]]>([
    ['a Job that is restarted for ever', jobTemplate(pod({})), [`${JOB}.spec.restartPolicy`]],
    [
      'a BroadcastJob that is restarted for ever',
      broadcastJobTemplate(pod({ restartPolicy: 'Always' })),
      [`${BROADCAST}.template.spec.restartPolicy`],
    ],
    [
      'a TTL of a BroadcastJob without end',
      broadcastJobTemplate({ completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 1 } }),
      [`${BROADCAST}.completionPolicy.ttlSecondsAfterFinished`],
    ],
    [
      'a reserved key of pods',
      jobTemplate(pod({ restartPolicy: 'Never' }, { labels: { 'plan.kruise.io/x': '' } })),
      [`${JOB}.metadata.labels`],
    ],
    [
      'a record of plans on the child',
      jobTemplate({}, { annotations: { 'plan.kruise.io/waves': '[]' } }),
      ['spec.template.jobTemplate.metadata.annotations'],
    ],
  ])('%s', (_what, template, faults) => {
    expect(pathsOf(invalidCronJob(cronJobOf({ template })))).toEqual(faults);
  });
});

describe('what is refused of a template of images (OpenKruise advancedcronjob, section 7)', () => {
  const SPEC = 'spec.template.imageListPullJobTemplate.spec';
  const many = Array.from({ length: 256 }, (_, index) => `job:${index}`);
  test.each<[what: string, spec: JsonObject, faults: string[]]>([
    ['nothing', { completionPolicy: { type: 'Always', activeDeadlineSeconds: 86_400 } }, []],
    [
      'a TTL (AC-9)',
      { completionPolicy: { ttlSecondsAfterFinished: 60 } },
      ['completionPolicy.ttlSecondsAfterFinished'],
    ],
    ['one that never ends (AC-9)', { completionPolicy: { type: 'Never' } }, ['completionPolicy.type']],
    [
      'more than a day (AC-9)',
      { completionPolicy: { activeDeadlineSeconds: 86_401 } },
      ['completionPolicy.activeDeadlineSeconds'],
    ],
    [
      'a day shorter than an attempt',
      { completionPolicy: { activeDeadlineSeconds: 9 } },
      ['completionPolicy.activeDeadlineSeconds'],
    ],
    ['images twice (AC-9)', { images: ['job:1', 'job:1'] }, ['images']],
    ['no images (AC-9)', { images: [] }, ['images']],
    ['256 images (AC-9)', { images: many }, ['images']],
    ['two selectors (AC-9)', { selector: {}, podSelector: {} }, ['']],
  ])('%s', (_what, spec, faults) => {
    const expected = faults.map((field) => (field === '' ? SPEC : `${SPEC}.${field}`));
    expect(pathsOf(invalidCronJob(cronJobOf({ template: imageList(spec) })))).toEqual(expected);
  });

  test('AC-2: alone it is Replace; with Allow it is refused in git', () => {
    const policyOf = (spec: JsonObject): string =>
      normalizeCronJob(cronJobOf({ template: images, ...spec })).concurrency;
    expect(policyOf({})).toBe('Replace');
    // The definition writes it where there is none.
    expect(policyOf({ concurrencyPolicy: 'Allow' })).toBe('Replace');
    expect(policyOf({ concurrencyPolicy: 'Forbid' })).toBe('Forbid');
    const lint = (concurrencyPolicy: string): string[] =>
      pathsOf(lintCronJob(cronJobOf({ template: images, concurrencyPolicy })));
    expect(lint('Allow')).toEqual(['spec.concurrencyPolicy']);
    expect(lint('Replace')).toEqual([]);
    expect(pathsOf(lintCronJob(cronJobOf({ concurrencyPolicy: 'Allow' })))).toEqual([]);
  });
});

describe('what is accepted and never creates a child', () => {
  test.each<[what: string, spec: JsonObject, faults: string[]]>([
    ['nothing', {}, []],
    ['the 31 February', { schedule: '0 0 31 2 *' }, ['spec.schedule']],
    ['the 29 February', { schedule: '0 0 29 2 *' }, []],
    ['either day', { schedule: '0 0 31 2 1' }, []],
    ['an invalid schedule, which is an error already', { schedule: '7' }, []],
    ['a deadline of 0', { startingDeadlineSeconds: 0 }, ['spec.startingDeadlineSeconds']],
    [
      'no parallelism',
      { template: broadcastJobTemplate({ parallelism: 0 }) },
      ['spec.template.broadcastJobTemplate.spec.parallelism'],
    ],
    [
      'Forbid, and a first child without end',
      {
        concurrencyPolicy: 'Forbid',
        template: broadcastJobTemplate({ completionPolicy: { type: 'Never' } }),
      },
      ['spec.template.broadcastJobTemplate.spec.completionPolicy.type'],
    ],
    [
      'Replace, and children without end',
      {
        concurrencyPolicy: 'Replace',
        template: broadcastJobTemplate({ completionPolicy: { type: 'Never' } }),
      },
      [],
    ],
  ])('%s', (_what, spec, faults) => {
    expect(pathsOf(lintCronJob(cronJobOf(spec)))).toEqual(faults);
  });

  test('a CronJob of Kubernetes would do for a Job, not for a BroadcastJob', () => {
    expect(isNativeEnough(cronJobOf())).toBe(true);
    expect(isNativeEnough(cronJobOf({ template: broadcastJobTemplate() }))).toBe(false);
  });
});

describe('defaults (OpenKruise advancedcronjob, section 2)', () => {
  test('of a schedule and a template alone (AC-1)', () => {
    expect(normalizeCronJob(cronJobOf())).toMatchObject({
      schedule: '0 * * * *',
      timeZone: undefined,
      deadlineMs: undefined,
      concurrency: 'Allow',
      paused: false,
      history: { succeeded: 3, failed: 1 },
    });
  });

  test('all fields', () => {
    const spec = {
      timeZone: 'Europe/Berlin',
      startingDeadlineSeconds: 60,
      concurrencyPolicy: 'Replace',
      paused: true,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 2,
    };
    expect(normalizeCronJob(cronJobOf(spec))).toMatchObject({
      timeZone: 'Europe/Berlin',
      deadlineMs: 60_000,
      concurrency: 'Replace',
      paused: true,
      history: { succeeded: 0, failed: 2 },
    });
  });

  test('both versions are read as one', () => {
    const older = { ...cronJobOf(), apiVersion: 'apps.kruise.io/v1alpha1' };
    expect(normalizeCronJob(older)).toEqual(normalizeCronJob(cronJobOf()));
  });
});

describe('the hash of a template is over kind and content of its children', () => {
  const hashOf = (template: JsonObject): string =>
    templateHash(normalizeCronJob(cronJobOf({ template })).template);
  const withPod = (pod: JsonObject): JsonObject => ({
    template: { spec: { ...(onePod['spec'] as JsonObject), ...pod } },
  });

  test.each<[what: string, template: JsonObject, isSame: boolean]>([
    ['the same', jobTemplate(), true],
    ['another kind', broadcastJobTemplate(), false],
    ['another image', jobTemplate(withPod({ containers: [{ name: 'main', image: 'job:2' }] })), false],
    ['a default of pods', jobTemplate(withPod({ schedulerName: 'default-scheduler' })), true],
    ['a default of Jobs', jobTemplate({ backoffLimit: 6, suspend: false }), true],
    ['another number of tries', jobTemplate({ backoffLimit: 0 }), false],
    ['null', jobTemplate({ backoffLimit: null }), true],
    ['a label', jobTemplate({}, { labels: { app: 'tidy' } }), false],
    ['no labels', jobTemplate({}, { labels: {}, annotations: {} }), true],
    ['a name, which children do not get', jobTemplate({}, { name: 'x' }), true],
  ])('%s', (_what, template, isSame) => {
    expect(hashOf(template) === hashOf(jobTemplate())).toBe(isSame);
  });

  test('what the API server fills in for a BroadcastJob changes nothing', () => {
    const filled = {
      parallelism: 2147483647,
      completionPolicy: { type: 'Always' },
      failurePolicy: { type: 'FailFast' },
    };
    expect(hashOf(broadcastJobTemplate(filled))).toBe(hashOf(broadcastJobTemplate()));
    const policy = { type: 'Always', activeDeadlineSeconds: 60 };
    const [written, short] = [
      { ...filled, completionPolicy: policy },
      { completionPolicy: { activeDeadlineSeconds: 60 } },
    ];
    expect(hashOf(broadcastJobTemplate(written))).toBe(hashOf(broadcastJobTemplate(short)));
    expect(hashOf(broadcastJobTemplate(short))).not.toBe(hashOf(broadcastJobTemplate()));
  });

  test('content without a child has none', () => {
    expect(childOf(normalizeCronJob(cronJobOf({ template: {} })).template)).toBeUndefined();
  });
});
