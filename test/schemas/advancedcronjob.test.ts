import { expect, it } from 'vitest';
import { crd, deviations, fieldsOf, goldenFields, type Structural, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];

const structuralAt = (version: string): Structural =>
  versionOf('AdvancedCronJob', version).schema.openAPIV3Schema;

it.each(versions)('an AdvancedCronJob has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('advancedcronjob-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(20);
  expect(deviations(structuralAt(version), golden)).toEqual([]);
});

it('an AdvancedCronJob has no field that OpenKruise does not have, but for conditions, and metadata that it would drop', () => {
  const known = new Set(goldenFields('advancedcronjob-fields.txt').map(({ path }) => path));
  const extra = fieldsOf(structuralAt('v1beta1'))
    .map(({ path }) => path)
    .filter((path) => !known.has(path));
  const metadata = ['broadcastJobTemplate', 'imageListPullJobTemplate'].map(
    (field) => `spec.template.${field}.metadata`,
  );
  const conditions = extra.filter((path) => path.startsWith('status.conditions'));
  expect(conditions).toHaveLength(8);
  expect(extra.filter((path) => !conditions.includes(path)).sort()).toEqual([
    'apiVersion',
    'kind',
    'metadata',
    ...metadata.flatMap((path) =>
      ['annotations', 'annotations{}', 'creationTimestamp', 'labels', 'labels{}'].map(
        (field) => `${path}.${field}`,
      ),
    ),
  ]);
});

it('the defaults are those that the webhook of OpenKruise writes, and those of a BroadcastJob (AC-1)', () => {
  const defaults = fieldsOf(structuralAt('v1beta1'))
    .filter(({ node }) => node.default !== undefined)
    .map(({ path, node }) => [path, node.default]);
  const child = 'spec.template.broadcastJobTemplate.spec';
  expect(Object.fromEntries(defaults)).toEqual({
    'spec.template.imageListPullJobTemplate.spec.completionPolicy.type': 'Always',
    // Argo CD's health check looks into it.
    status: {},
    'spec.concurrencyPolicy': 'Allow',
    'spec.paused': false,
    'spec.successfulJobsHistoryLimit': 3,
    'spec.failedJobsHistoryLimit': 1,
    [`${child}.parallelism`]: 2147483647,
    [`${child}.completionPolicy`]: {},
    [`${child}.completionPolicy.type`]: 'Always',
    [`${child}.failurePolicy`]: {},
    [`${child}.failurePolicy.type`]: 'FailFast',
  });
});

it.each(['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'])(
  '%s must not be negative (AC-7)',
  (field) => {
    expect(structuralAt('v1beta1').properties?.['spec']?.properties?.[field]?.['minimum']).toBe(0);
  },
);

it('has the short name and the columns of OpenKruise (AC-32)', () => {
  expect(crd('AdvancedCronJob').names.shortNames).toEqual(['acj']);
  for (const version of versions)
    expect(
      versionOf('AdvancedCronJob', version).additionalPrinterColumns.map(({ name, type, jsonPath }) =>
        [name, type, jsonPath].join(' '),
      ),
    ).toEqual([
      'Schedule string .spec.schedule',
      'Type string .status.type',
      'LastScheduleTime date .status.lastScheduleTime',
      'AGE date .metadata.creationTimestamp',
    ]);
});
