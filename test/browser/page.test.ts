import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, type BrowserPage, chromiumPath, startChromium } from './chromium.ts';
import { livePage, planPage, type ShownPage } from './pages.ts';

if (chromiumPath === undefined)
  process.stderr.write(
    'NO BROWSER: the pages are NOT tested. Install chromium, or name one with KRUISE_BROWSER.\n',
  );

const WIDTHS = [360, 820, 1440] as const;
/** Where pictures are written for people to look at. */
const pictures = process.env['KRUISE_SCREENSHOTS'] ?? '';

let browser: Browser | undefined;
beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await startChromium(chromiumPath);
  if (pictures !== '') mkdirSync(pictures, { recursive: true });
}, 60_000);
afterAll(async () => browser?.close());

/** A page in a tab of its own, and what it asked for or complained about. */
async function opened({ html }: ShownPage): Promise<{ page: BrowserPage; events: string[] }> {
  if (browser === undefined) throw new Error('there is no browser');
  const page = await browser.newPage();
  const events: string[] = [];
  page.on('request', (about) => events.push(`request of ${about.url?.()}`));
  page.on('console', (about) => events.push(`console: ${about.text?.()}`));
  page.on('pageerror', (about) => events.push(`error: ${about.message}`));
  await page.setContent(html);
  return { page, events };
}

const visibleTargets = `[...document.querySelectorAll('.target')].filter((each) => each.checkVisibility()).map((each) => each.dataset.name)`;
const openAll = `for (const each of document.querySelectorAll('details')) each.open = true`;

describe.skipIf(chromiumPath === undefined).each([
  ['of a plan', planPage],
  ['of what runs', livePage],
])('in Chromium, the page %s', (name, make) => {
  const shown = make();

  test('asks for nothing and complains about nothing', async () => {
    const { page, events } = await opened(shown);
    await page.evaluate(openAll);
    expect(events).toEqual([]);
    await page.close();
  });

  test('runs no script but its own', async () => {
    const { page } = await opened(shown);
    const ran = await page.evaluate(`new Promise((resolve) => {
      const violations = [];
      document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="https://evil.example/x.png" onerror="window.ran = true"><b style="color: red">x</b>');
      const image = document.querySelector('img');
      image.addEventListener('error', () => setTimeout(() => resolve({ ran: window.ran === true, violations: [...new Set(violations)].sort() })));
    })`);
    const { violations, ...rest } = ran as { ran: boolean; violations: string[] };
    expect(rest).toEqual({ ran: false });
    expect(violations).toEqual(expect.arrayContaining(['img-src', 'script-src-elem', 'style-src-attr']));
    await page.close();
  });

  test('filters its targets by words, says how many are left, and shows all again', async () => {
    const { page } = await opened(shown);
    const all = await page.evaluate(visibleTargets);
    await page.locator('#filter').fill(shown.word.toUpperCase());
    expect(await page.evaluate(visibleTargets)).toEqual([expect.stringContaining(shown.found)]);
    expect(await page.evaluate(`document.getElementById('shown').textContent`)).toBe('1 target');
    await page.locator('#filter').fill('there is no such target');
    expect(await page.evaluate(visibleTargets)).toEqual([]);
    expect(await page.evaluate(`document.getElementById('shown').textContent`)).toBe('0 targets');
    await page.locator('#filter').fill('');
    expect(await page.evaluate(visibleTargets)).toEqual(all);
    await page.close();
  });

  test('is used with the keyboard alone: the filter, a target, its steps', async () => {
    const { page } = await opened(shown);
    const focused = `document.activeElement.closest('summary, input, .step, .scroll')?.textContent ?? document.activeElement.id`;
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.id`)).toBe('filter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toContain(shown.first);
    expect(await page.evaluate(`document.activeElement.matches(':focus-visible')`)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(`document.activeElement.parentElement.open`)).toBe(true);
    await page.keyboard.press('Tab');
    const step = String(await page.evaluate(`document.activeElement.getAttribute('aria-label')`));
    expect(step).toMatch(/^[\w-]+: update to /);
    expect(await page.evaluate(`document.querySelector('details[open] figcaption').textContent`)).toBe(step);
    await page.close();
  });

  test('has names for screen readers', async () => {
    const { page } = await opened(shown);
    await page.evaluate(openAll);
    // A line with a colon in a name is quoted.
    const tree = (await page.locator('body').ariaSnapshot()).replaceAll("'", '');
    expect(tree).toMatch(/- heading "[^"]+" \[level=1\]/);
    expect(tree).toContain('- searchbox "Filter targets"');
    expect(tree).toMatch(/- group "(?:Timeline|Steps): [^"]*available[^"]*":/);
    expect(tree).toMatch(/- img "[\w-]+: update to [^"]* on the new revision"/);
    expect(tree).toMatch(/- columnheader "step"/);
    // A picture or a field without a name would be a line that ends after its role.
    expect(
      tree
        .match(/^ *- (?:img|group|searchbox|button|link|textbox)(?: \[[^\]]*\])*:?$/gm)
        ?.filter((line) => !/group/.test(line)) ?? [],
    ).toEqual([]);
    await page.close();
  });

  test.each(['light', 'dark'] as const)('is readable in %s colors', async (colorScheme) => {
    const { page } = await opened(shown);
    await page.emulateMedia({ colorScheme });
    await page.evaluate(openAll);
    const poor = await page.evaluate(POOR_CONTRAST);
    expect(poor).toEqual([]);
    const [red = 0] = (await page.evaluate(
      `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)`,
    )) as number[];
    expect(red < 128).toBe(colorScheme === 'dark');
    await page.close();
  });

  test.each(WIDTHS)('fits a window of %i pixels, and breaks no short word', async (width) => {
    const { page } = await opened(shown);
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(
      `for (const each of [...document.querySelectorAll('details')].slice(0, 2)) each.open = true`,
    );
    if (pictures !== '')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({
          path: `${pictures}/${name.replaceAll(' ', '-')}-${width}-${colorScheme}.png`,
          fullPage: false,
        });
      }
    expect(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true);
    // The text of a picture is not scaled down, and heads of tables stay on one line.
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('details[open] svg')].filter((each) => each.getBoundingClientRect().width < Number(each.getAttribute('width'))).length`,
      ),
    ).toBe(0);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('details[open] th, details[open] td:not(.what) code')].filter((each) => each.textContent.length < 12 && each.getClientRects()[0]?.height > 40 || (each.tagName === 'CODE' && each.textContent.length < 12 && each.getClientRects().length > 1)).map((each) => each.textContent)`,
      ),
    ).toEqual([]);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('details[open] table.steps')].filter((each) => each.parentElement.scrollWidth > each.parentElement.clientWidth).length`,
      ),
    ).toBe(0);
    await page.close();
  });

  test('is printed open, and without its filter', async () => {
    const { page } = await opened(shown);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await page.evaluate(`document.querySelectorAll('details:not([open])').length`)).toBe(0);
    expect(await page.evaluate(`document.querySelector('.filter').checkVisibility()`)).toBe(false);
    await page.close();
  });
});

/** The texts whose contrast with what is behind them is below that of WCAG 2.1 AA, each with its ratio. */
const POOR_CONTRAST = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const color = channels(getComputedStyle(each).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const poor = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || element.closest('script, title') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(channels(element.closest('svg') ? style.fill : style.color)), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.set(element.tagName + '.' + (element.getAttribute('class') ?? ''), Math.round(ratio * 100) / 100);
  }
  return [...poor];
})()`;
