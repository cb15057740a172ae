import { expect, test } from 'vitest';
import { identity, metric, post, readyz, site } from './site.ts';
import { until } from '../../until.ts';

const BODY = '{"request": {"uid": "u"}}';
const MISSING = '403 a client certificate that --client-ca trusts is missing';

test('with authorities of clients, only their certificates get an answer, and the others are counted', async () => {
  const [own, known, unknown] = [await identity('one'), await identity('known'), await identity('unknown')];
  const here = await site({ mounted: own, clients: known.cert });
  await until('ready', async () => (await readyz(here)) === '200 ok');
  expect(await post(here, own.cert, BODY)).toBe(MISSING);
  expect(await post(here, own.cert, BODY, { client: unknown })).toBe(MISSING);
  // The answer names no path of the webhook.
  expect(await post(here, own.cert, BODY, { path: '/other' })).toBe(MISSING);
  expect(await post(here, own.cert, BODY, { client: known })).toMatch(/^200 /);
  expect(await metric(here, 'kruise_admission_unreviewed_total{reason="client"}')).toBe(3);
});

test('a change of the authorities counts without a restart, and a file that is none does not', async () => {
  const [own, one, two] = [await identity('one'), await identity('first'), await identity('second')];
  const here = await site({ mounted: own, clients: one.cert });
  await until('ready', async () => (await readyz(here)) === '200 ok');
  here.trust('nothing');
  await until('told', () => here.lines.some((line) => line.includes('clients.crt is no certificate in PEM')));
  expect(await post(here, own.cert, BODY, { client: one })).toMatch(/^200 /);
  here.trust(two.cert);
  await until('renewed', async () => (await post(here, own.cert, BODY, { client: two })).startsWith('200'));
  expect(await post(here, own.cert, BODY, { client: one })).toBe(MISSING);
  // A new certificate of the server keeps them.
  const next = await identity('next');
  here.mount(next);
  await until(
    'mounted',
    () => here.lines.filter((line) => line === 'the certificate was renewed').length > 1,
  );
  expect(await post(here, next.cert, BODY, { client: one })).toBe(MISSING);
  expect(await post(here, next.cert, BODY, { client: two })).toMatch(/^200 /);
});

test('without the file of the authorities nothing is served', async () => {
  const own = await identity('one');
  const here = await site({ mounted: own, clients: '' });
  await until('lists', async () => (await readyz(here)).includes('clients.crt'));
  expect(await readyz(here)).toMatch(/^503 .*clients.crt cannot be read: it does not exist$/);
  expect(here.admission.reviewPort).toBeUndefined();
});
