import { expect, test } from 'vitest';
import { readRows } from './rows.ts';
import { hasFormat } from '../schema/formats.ts';

const formats: [string, string[], string[]][] = readRows('formats');

test.each(formats)('the format %s', (format, good, bad) => {
  expect(good.filter((each) => !hasFormat(format, each))).toEqual([]);
  expect(bad.filter((each) => hasFormat(format, each))).toEqual([]);
});
