import { describe, expect, test } from 'vitest';
import { type Files, committed, forecastIn, manifest, planned, v1, v2 } from './world/history.ts';
import { cloneSet } from './world/manifests.ts';
import { numbered } from './world/numbered.ts';

const FOLDER = 'plans/shop/cloneset-web';
const other = { 'api.yaml': cloneSet({ name: 'api' }) };

const withoutWeb = ({ 'web.yaml': _removed, ...files }: Files): Files => files;

describe('a removal has a committed forecast', () => {
  test('in place of the plan, and a check verifies it', async () => {
    const base = { ...other, ...(await committed({ ...manifest(v1) }, v2)) };
    const { files, host } = await planned(base, withoutWeb(base));
    expect(host.out).toContain('removed with 10 pods');
    const text = forecastIn(files);
    expect(text).toBe(
      '# CloneSet `shop/web`: removed with 10 pods\n\n> **Warnings**\n>\n> - CloneSet shop/web is removed: its 10 pods are deleted with it (KR2120)\n',
    );
    expect(Object.keys(files).filter((path) => path.startsWith('plans/'))).toEqual([`${FOLDER}/forecast.md`]);
    const check = async (head: Files): Promise<{ code: number; err: string }> => {
      const { code, host: ran } = await planned(base, head, ['--check']);
      return { code, err: ran.err };
    };
    expect((await check(files)).code).toBe(0);
    const { [`${FOLDER}/forecast.md`]: _forecast, ...bare } = files;
    expect(await check(bare)).toMatchObject({
      code: 20,
      err: expect.stringContaining('it is the forecast of the removal of CloneSet shop/web'),
    });
    expect(
      (await check({ ...files, [`${FOLDER}/forecast.md`]: text.replace('10 pods', '1 pod') })).code,
    ).toBe(20);
    // Who leaves the plan behind reads about that alone.
    const left = await check(withoutWeb(base));
    expect(left.err).toContain('KR3021');
  });

  test('with the claims that are deleted with it', async () => {
    const claims =
      '  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}\n' +
      '  volumeClaimTemplates:\n' +
      '  - metadata: {name: data}\n' +
      '    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}';
    const set = numbered({ replicas: 3, spec: claims });
    const { files } = await planned({ ...other, 'set.yaml': set }, other);
    const [path = ''] = Object.keys(files).filter((each) => each.endsWith('/forecast.md'));
    expect(files[path]).toMatch(/^# StatefulSet `\S+`: removed with 3 pods and 3 volume claims\n/);
  });

  test('it stays when it is merged, and goes when the target is there again', async () => {
    const base = { ...other, ...(await committed({ ...manifest(v1) }, v2)) };
    const { files: merged } = await planned(base, withoutWeb(base));
    for (const args of [[], ['--check']]) {
      const { code, files } = await planned(merged, merged, args);
      expect({ code, files }).toEqual({ code: 0, files: merged });
    }
    const again = { ...merged, ...manifest(v1) };
    expect((await planned(merged, again, ['--check'])).code).toBe(0);
    const { files, host } = await planned(merged, again);
    expect(files).toEqual({ ...withoutForecast(merged), ...manifest(v1), 'plans/.gitkeep': '' });
    expect(host.err).toContain(`removed head/${FOLDER}/forecast.md: CloneSet shop/web is there again\n`);
  });
});

const withoutForecast = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith('/forecast.md')));

describe('pods that a SidecarSet and their workload change by one commit', () => {
  const set = (image: string): Files => ({
    'set.yaml': `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: web}}
  updateStrategy: {maxUnavailable: 1}
  containers: [{name: log, image: '${image}'}]
`,
  });
  const SET = 'plans/_cluster/sidecarset-log/forecast.md';
  const TWICE = 'change twice, once by each plan.';

  test('are named in both forecasts', async () => {
    const { files } = await planned(
      { ...manifest(v1), ...set('log:1') },
      { ...manifest(v2), ...set('log:2') },
    );
    expect(files[SET]).toContain(`This commit also changes CloneSet shop/web: the pods there ${TWICE}`);
    expect(forecastIn(files)).toContain(
      `This commit also changes SidecarSet log, which selects these pods: they ${TWICE}`,
    );
  });

  test('are not named where one of both changes none, or selects others', async () => {
    for (const [base, head] of [
      [
        { ...manifest(v1), ...set('log:1') },
        { ...manifest(v2), ...set('log:1') },
      ],
      [
        { ...manifest(v1), ...set('log:1') },
        { ...manifest(v1), ...set('log:2') },
      ],
      [
        { ...manifest({ ...v1, name: 'api' }), ...set('log:1') },
        { ...manifest({ ...v2, name: 'api' }), ...set('log:2') },
      ],
    ] as [Files, Files][]) {
      const { files } = await planned(base, head);
      expect(Object.values(files).join('')).not.toContain(TWICE);
    }
  });
});
