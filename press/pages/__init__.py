"""The built pages: what MyST and the theme do not do by themselves."""
