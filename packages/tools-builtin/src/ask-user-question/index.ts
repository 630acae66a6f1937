export { askUserQuestion, type AskUserQuestionOutput } from './ask-user-question.ts';
