import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { htmlPage } from '../../compiler/render/page/page.ts';
import { HOSTILE, unsafeIn } from '../security/hostile.ts';
import { compiledFleet, fleet } from './world/fleet.ts';
import { cloneSet, kruise } from './world/manifests.ts';

const SEED = 42;

const sha256 = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
const pageOf = (count: number): string => htmlPage(compiledFleet(fleet(count, SEED).files), sha256);

describe('the page of a plan', () => {
  test('loads nothing, and runs nothing but its own script', () => {
    const page = pageOf(3);
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const hash = (tag: string): string => {
      const [, text = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page) ?? [];
      return `'${sha256(text)}'`;
    };
    expect(policy).toBe(`default-src 'none'; style-src ${hash('style')}; script-src ${hash('script')}`);
    expect(page).not.toMatch(/\b(?:src|href|style|on[a-z]+)="/);
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  test('has each target once, the dangerous one first', () => {
    const { files, dangerous } = fleet(40, SEED);
    const page = htmlPage(compiledFleet(files), sha256);
    const sections = page.split('<section');
    expect(sections[1]).toContain(`CloneSet ${dangerous}`);
    const names = Array.from({ length: 40 }, (_, index) => `app-${String(index + 1).padStart(3, '0')}`);
    const main = page
      .slice(page.indexOf('<main>'), page.indexOf('</main>'))
      .replace(/(?:data-name|aria-label)="[^"]*"|<title>.*?<\/title>|<h2>.*?<\/h2>/g, '');
    for (const name of names) expect([name, main.split(`/${name}<`).length - 1]).toEqual([name, 1]);
  });

  test('a timeline says each step in words', () => {
    const page = pageOf(3);
    expect(page).toMatch(/role="img" aria-label="[^"]+: update to [^"]+ of \d+ pods on the new revision"/);
    expect(page.match(/<figure>/g)?.length).toBe(3);
  });

  test('three hundred targets stay below two megabytes', () => {
    expect(pageOf(300).length).toBeLessThan(2_000_000);
  });

  test.each(HOSTILE)('text of manifests is text: %j', async (text) => {
    const quoted = JSON.stringify(text);
    const files = {
      'base/web.yaml': cloneSet({ image: 'nginx:1' }),
      'head/web.yaml': cloneSet({ image: quoted }),
    };
    const { host } = await kruise(files, { args: ['plan', 'head', '--base-dir', 'base', '-o', 'html'] });
    expect(host.out).toMatch(/<\/html>\n$|^$/);
    expect(unsafeIn(host.out, false)).toEqual([]);
    const tags = new Set(host.out.match(/<[a-z!][^\s>]*/gi) ?? []);
    const allowed =
      '!doctype a body circle code details div figcaption figure g h1 h2 h3 head header html input label li line main meta output p rect script section span style summary svg table tbody td text th thead title tr ul';
    for (const tag of tags) expect(allowed.split(' ')).toContain(tag.slice(1).toLowerCase());
  });
});

test('-o html prints one page and writes nothing', async () => {
  const files = {
    'base/web.yaml': cloneSet({ image: 'nginx:1' }),
    'head/web.yaml': cloneSet({ image: 'nginx:2' }),
  };
  const { host, code } = await kruise(files, { args: ['plan', 'head', '--base-dir', 'base', '-o', 'html'] });
  expect(code).toBe(0);
  expect(host.out).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  expect([...host.files.keys()].filter((path) => path.includes('/plans/'))).toEqual([]);
});
