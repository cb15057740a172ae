import { existsSync } from 'node:fs';

/** What is used of a page of playwright-core. Scripts are texts: they run in the browser, whose types are not those of Node.js. */
export interface BrowserPage {
  setContent(html: string): Promise<void>;
  goto(url: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  emulateMedia(media: { colorScheme?: 'light' | 'dark'; media?: 'screen' | 'print' }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>;
  on(event: 'request' | 'console' | 'pageerror', listener: (about: BrowserEvent) => void): void;
  locator(selector: string): { ariaSnapshot(): Promise<string>; fill(text: string): Promise<void> };
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  close(): Promise<void>;
}

interface BrowserEvent {
  url?(): string;
  text?(): string;
  message?: string;
}

export interface Browser {
  newPage(): Promise<BrowserPage>;
  close(): Promise<void>;
}

interface Driver {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Named by a variable: whoever has not installed it yet can compile the tests. */
const DRIVER: string = 'playwright-core';

/** The Chromium of this machine, or that which KRUISE_BROWSER names; undefined: there is none. */
export const chromiumPath: string | undefined = [process.env['KRUISE_BROWSER'] ?? '', ...PLACES].find(
  (path) => path !== '' && existsSync(path),
);

/** Starts the browser. It loads only what the tests give to it. */
export async function startChromium(executablePath: string): Promise<Browser> {
  const { chromium } = (await import(DRIVER)) as Driver;
  // Tests run as root in containers, where Chromium has no sandbox of its own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}
