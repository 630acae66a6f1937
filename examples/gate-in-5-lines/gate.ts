import { allow, deny, isCallOf, type StartedCall } from '@toolgate/core';
import { deploy } from './deploy.ts';

export const gate = (call: StartedCall) =>
  isCallOf(deploy, call) && call.input.to === 'production' ? deny('Ask a person.') : allow();
