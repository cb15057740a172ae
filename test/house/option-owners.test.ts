import { expect, test } from 'vitest';
import { commands } from '../../cli/command/commands.ts';
import { optionOwners } from '../../cli/command/option-owners.ts';

test('the hints about options know the options of every command', () => {
  const defined = Object.entries(commands).map(([name, { options }]) => [
    name,
    Object.keys(options).join(' '),
  ]);
  expect(optionOwners).toEqual(Object.fromEntries(defined));
});
