import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock, type VirtualClock } from 'kruise-sandbox/clock';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Certificate,
  type CertificateFiles,
  watchCertificate,
} from '../../runtime/admit/certificate.ts';
import { DAY, identity, metric, readyz, site } from '../runtime/admit/site.ts';
import { until } from '../until.ts';

const START = Date.UTC(2026, 0, 1);
const HOST = 'kruise-admission.kruise-system.svc';
const LOOK = 10_000;

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

interface Watch {
  clock: VirtualClock;
  files: CertificateFiles;
  used: Certificate[];
  told: string[];
  mount(certificate: Certificate): Promise<void>;
}

/** Watches a folder with this certificate, at the start of 2026. */
async function watch(
  first: Certificate,
  { host }: { host: string | undefined } = { host: HOST },
): Promise<Watch> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-certificate-'));
  const write = ({ cert, key }: Certificate): void => {
    writeFileSync(join(folder, 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls.key'), key);
  };
  write(first);
  const clock = createVirtualClock(START);
  const used: Certificate[] = [];
  const told: string[] = [];
  const files = watchCertificate({
    folder,
    host,
    clock,
    onChange: (each) => used.push(each),
    onProblem: (each) => told.push(each.replaceAll(folder, 'FOLDER')),
  });
  ends.push(
    () => rmSync(folder, { recursive: true }),
    () => files.stop(),
  );
  return {
    clock,
    files,
    used,
    told,
    async mount(certificate) {
      write(certificate);
      await clock.advance(LOOK);
    },
  };
}

const valid = { from: START - DAY, to: START + 365 * DAY, host: HOST };

describe('the certificate of the webhook', () => {
  test.each([
    ['has expired', { to: START - 1_000 }, 'the certificate in FOLDER has expired on 2025-12-31T23:59:59Z'],
    [
      'is not valid yet',
      { from: START + DAY },
      'the certificate in FOLDER is not valid before 2026-01-02T00:00:00Z',
    ],
    [
      'is for another name',
      { host: 'other.svc' },
      `the certificate in FOLDER is for DNS:other.svc, not for ${HOST}`,
    ],
    [
      'is for an address',
      { host: undefined },
      `the certificate in FOLDER is for IP Address:127.0.0.1, not for ${HOST}`,
    ],
    ['has the name only as its common name', { host: 'other.svc', common: HOST }, `not for ${HOST}`],
  ])(
    'that %s is a problem, which says what to do',
    async (
      _what,
      { common = 'one', ...at }: { common?: string; from?: number; to?: number; host?: string | undefined },
      text,
    ) => {
      const { files, used, told } = await watch(
        await identity(common, { ...valid, from: START - 2 * DAY, ...at }),
      );
      expect(files.problem).toContain(text.replace('the certificate in FOLDER ', ''));
      expect(told).toEqual([expect.stringContaining(text)]);
      expect(told[0]).toMatch(/: (renew|issue|check) .*kruise-admission-tls/);
      // An API server decides by its own clock and name.
      expect(used).toHaveLength(1);
    },
  );

  test('that is valid for the name is none, also by a wildcard; without a name any is', async () => {
    for (const [host, wanted] of [
      [HOST, HOST],
      ['*.kruise-system.svc', HOST],
      ['other.svc', undefined],
      [undefined, '127.0.0.1'],
    ]) {
      const { files, told } = await watch(await identity('one', { ...valid, host }), { host: wanted });
      expect([host, files.problem, files.notice, told]).toEqual([host, undefined, undefined, []]);
    }
  });

  test.each([
    [
      '30 days before it expires',
      365,
      30,
      /expires on 2026-.*Z, within 30 days: renew .*kruise-admission-tls/,
    ],
    ['7 days before it expires', 365, 7, /expires on 2026-.*Z, within 7 days: renew /],
    ['when it has expired', 365, 0, /has expired on 2026-.*Z: renew /],
    ['a quarter of a short life before', 40, 10, /within 10 days: /],
    ['a tenth of a short life before', 40, 4, /within 4 days: /],
  ])('is reported once %s', async (_what, life, before, text) => {
    const to = START + before * DAY + 60_000;
    const { clock, told } = await watch(await identity('one', { ...valid, from: to - life * DAY, to }));
    const earlier = told.length;
    await clock.advance(60_000 + LOOK);
    expect(told.slice(earlier)).toEqual([expect.stringMatching(text)]);
    await clock.advance(60_000);
    expect(told).toHaveLength(earlier + 1);
  });

  test('is not reported 31 days before it expires', async () => {
    const { clock, told, files } = await watch(await identity('one', { ...valid, to: START + 31 * DAY }));
    await clock.advance(60_000);
    expect([told, files.notice]).toEqual([[], undefined]);
  });

  test('stays in use where the next one cannot be trusted, until that can be', async () => {
    const good = await identity('one', valid);
    const { clock, files, used, told, mount } = await watch(good);
    await mount(await identity('two', { ...valid, host: 'other.svc' }));
    expect([files.problem, used]).toEqual([undefined, [good]]);
    expect(told).toEqual([expect.stringMatching(/not for .*; the one before stays in use$/)]);
    expect(files.notice).toContain('other.svc');
    const later = await identity('three', { ...valid, from: START + DAY });
    await mount(later);
    expect([used, told.at(-1)]).toEqual([[good], expect.stringContaining('not valid before')]);
    await clock.advance(DAY);
    expect([files.problem, files.notice, used]).toEqual([undefined, undefined, [good, later]]);
  });

  test('that can be trusted takes the place of one that cannot', async () => {
    const { files, mount, used } = await watch(await identity('one', { ...valid, to: START - 1_000 }));
    const next = await identity('two', valid);
    await mount(next);
    expect([files.problem, used.at(-1)]).toEqual([undefined, next]);
  });
});

describe('the webhook', () => {
  test('is not ready with an expired certificate, and its metric says since when', async () => {
    const own = await identity('one', { from: Date.now() - 3 * DAY, to: Date.now() - DAY });
    const here = await site({ mounted: own, speed: 1 });
    await until('it lists', async () => (await readyz(here)).includes('expired'));
    expect(await readyz(here)).toMatch(/^503 the certificate in .* has expired on /);
    const left = await metric(here, 'kruise_admission_certificate_expiry_seconds');
    expect(Math.round((left ?? 0) / 3_600)).toBe(-24);
    here.mount(await identity('two'));
    await until('ready', async () => (await readyz(here)) === '200 ok');
  });

  test('is not ready with a certificate for another name than that of its Service', async () => {
    const here = await site({ mounted: await identity('one'), host: HOST });
    await until('it lists', async () => (await readyz(here)).includes(HOST));
    expect(await readyz(here)).toMatch(/^503 the certificate in .* is for IP Address:127\.0\.0\.1, not for /);
  });
});
